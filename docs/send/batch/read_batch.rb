require 'json'

def read_batch(body, seen)
  JSON.parse(body)['batch'].each do |item|
    next if seen.include?(item['id'])

    yield item['type'], item['body']
    seen.add(item['id'])
  end
end

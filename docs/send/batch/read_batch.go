package webhooks

import "encoding/json"

func ReadBatch(body []byte, seen map[string]bool, handle func(kind string, body []byte) error) error {
	var request struct {
		Batch []struct {
			ID, Type string
			Body     json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	for _, item := range request.Batch {
		if !seen[item.ID] {
			if err := handle(item.Type, item.Body); err != nil {
				return err
			}
			seen[item.ID] = true
		}
	}
	return nil
}

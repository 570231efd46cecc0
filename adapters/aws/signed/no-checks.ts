/** In the place of ../check-answers.ts beside the small signed client, which judges its answers itself. */
export function checkAnswers<Client extends object>(client: Client): Client {
  return client;
}

import { expect, it } from 'vitest';
import { askForProviders, chosenProviders } from '#packages/create/choose-providers.ts';

const samples = ['generic', 'stripe', 'github', 'gitlab'].map(id => ({ id, title: id }));

it('asks again after a typo, says what is near, and takes the next answer', async () => {
  const answers = ['stripe, githb', 'nobody', 'stripe github'];
  const said: string[] = [];
  const chosen = await askForProviders(
    samples,
    async () => answers.shift() ?? '',
    text => said.push(text),
  );
  expect(chosen.map(({ id }) => id)).toEqual(['stripe', 'github']);
  expect(said).toEqual([
    'There is no provider "githb". Did you mean github or gitlab?',
    expect.stringMatching(
      /^There is no provider "nobody"\. There are: generic, stripe, github, gitlab\. .*sources new <id> describes it\.$/,
    ),
  ]);
});

it('takes senders of your own for no answer', () => {
  expect(chosenProviders(' ', samples)).toEqual([samples[0]]);
});

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
    'pnpm holdfast',
  );
  expect(chosen.map(({ id }) => id)).toEqual(['stripe', 'github']);
  expect(said).toEqual([
    'There is no provider "githb". Did you mean github or gitlab?',
    expect.stringMatching(
      /^There is no provider "nobody"\. There are: generic, stripe, github, gitlab\. .*in the project, pnpm holdfast sources new <id> describes it\.$/,
    ),
  ]);
});

it('takes senders of your own for no answer', () => {
  expect(chosenProviders(' ', samples, 'pnpm holdfast')).toEqual([samples[0]]);
});

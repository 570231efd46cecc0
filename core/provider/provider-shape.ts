/** The shape of a spec, where the checks that read it rely on one. What a spec means is for check-spec.ts to say. */
import { type Check, join, listOf, recordOf, show } from '#core/problem.ts';

type Fields = Readonly<Record<string, Check>>;

const word: Check = (value, path, report) => {
  if (typeof value !== 'string') report({ path, given: show(value), allowed: 'text', fix: 'put it in quotes' });
};

const oneOrMore =
  (check: Check): Check =>
  (value, path, report) =>
    (Array.isArray(value) ? listOf(check) : check)(value, path, report);

/** An object with these members; others are nobody's business here. */
const having =
  (needed: Fields, optional: Fields = {}): Check =>
  (value, path, report) => {
    recordOf(() => undefined)(value, path, report);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const members = value as Readonly<Record<string, unknown>>;
    for (const [key, check] of Object.entries({ ...optional, ...needed })) {
      const member = members[key];
      if (member !== undefined) check(member, join(path, key), report);
      else if (Object.hasOwn(needed, key))
        report({ path: join(path, key), given: 'nothing', allowed: 'this key is required', fix: `add ${key}` });
    }
  };

const scheme = having(
  { sig: having({ from: oneOrMore(word) }) },
  { message: word, time: having({ from: word }), bind: listOf(having({ equals: word })) },
);
const handshake = having({
  when: having({}),
  respond: having({}, { body: word, headers: recordOf(word) }),
});

const spec = having(
  {
    verify: listOf(scheme),
    identity: having(
      { key: listOf(listOf(word)), type: listOf(word) },
      { time: oneOrMore(having({ from: word })), ordering: oneOrMore(word) },
    ),
  },
  {
    ack: having({}),
    handshakes: listOf(handshake),
    signatureHeaders: listOf(word),
    keepHeaders: listOf(word),
    methods: listOf(word),
    settings: recordOf(word),
  },
);

/** Reports what has another shape than the rules for specs can read, with the name of the spec. */
export const checkProviderShape: Check = (value, path, report) => {
  const { id } = value as { readonly id?: unknown };
  spec(value, path, problem =>
    report({ ...problem, given: `${problem.given}, in the spec of the provider ${show(id)}` }),
  );
};

/** The event types there are, each with its schema and an example. */
import { JsonTree } from '../../../ui/json-tree.tsx';
import { Copy, Empty, Shown } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { useAsk } from '../parts/api.ts';
import { hrefOf } from '../parts/route.ts';
import { producer } from '../parts/session.ts';
import type { EventType, Page, TypeVersion } from '../wire.ts';

export function Catalogue({ name }: { readonly name: string | undefined }) {
  const view = useAsk<Page<EventType>>('/event-types?limit=250');
  return (
    <>
      <h1>Event types</h1>
      <Shown of={view}>
        {({ data }) => {
          const open = data.find(each => each.name === name) ?? data[0];
          if (open === undefined)
            return (
              <Empty title="No event type is described yet">
                <p>
                  {visible(producer())} has not published its catalogue. An endpoint without types gets every event.
                </p>
              </Empty>
            );
          return (
            <div class="columns types">
              <nav class="card" aria-label="Event types">
                {groupsOf(data).map(([group, types]) => (
                  <section key={group}>
                    {group === '' ? null : <h2>{visible(group)}</h2>}
                    <ul class="plain">
                      {types.map(each => (
                        <li key={each.name}>
                          <a href={hrefOf('events', each.name)} aria-current={each === open ? 'true' : undefined}>
                            {visible(each.name)} {each.deprecated ? <small>deprecated</small> : null}
                          </a>
                        </li>
                      ))}
                    </ul>
                  </section>
                ))}
              </nav>
              <Described type={open} />
            </div>
          );
        }}
      </Shown>
    </>
  );
}

function groupsOf(types: readonly EventType[]): readonly (readonly [string, readonly EventType[]])[] {
  const groups = new Map<string, EventType[]>();
  for (const type of types) {
    const group = groups.get(type.group ?? '') ?? [];
    groups.set(type.group ?? '', group);
    group.push(type);
  }
  return [...groups].sort(([one], [two]) => one.localeCompare(two));
}

function Described({ type }: { readonly type: EventType }) {
  const { name, description, deprecated, version, earlier } = type;
  return (
    <article class="card guide">
      <h2>
        <code>{visible(name)}</code> <Copy text={name} what="the name" />
      </h2>
      {deprecated ? <Ending of={type} /> : null}
      <p>{visible(description)}</p>
      {version === null ? null : (
        <p>
          This is version <code>{visible(version)}</code>, the newest.
        </p>
      )}
      <Form of={type} />
      {earlier.map(each => (
        <details key={each.version}>
          <summary>
            Version {visible(each.version ?? '')} {each.deprecated ? <small>deprecated</small> : null}
          </summary>
          <Form of={each} />
        </details>
      ))}
    </article>
  );
}

function Ending({ of: { ends_at, replacement } }: { readonly of: EventType }) {
  return (
    <p class="warn">
      Deprecated: {ends_at === null ? 'it may end.' : `it ends on ${visible(ends_at.slice(0, 10))}.`} Move to{' '}
      {replacement === null ? (
        'another type.'
      ) : (
        <>
          <a href={hrefOf('events', replacement)}>{visible(replacement)}</a>.
        </>
      )}
    </p>
  );
}

function Form({ of: { example, schema } }: { readonly of: TypeVersion }) {
  return (
    <>
      <h3>Example of its data</h3>
      {example === null ? <p class="faint">There is none.</p> : <Tree value={example} />}
      <h3>Schema</h3>
      {schema === null ? <p class="faint">There is none.</p> : <Tree value={schema} />}
    </>
  );
}

function Tree({ value }: { readonly value: unknown }) {
  return (
    <>
      <p>
        <Copy text={JSON.stringify(value, null, 2)} label="Copy JSON" />
      </p>
      <JsonTree value={value} search="" />
    </>
  );
}

/** Who is told when endpoints fail: each address confirms first. */
import { useState } from 'preact/hooks';
import { Ask, Button, Command, Empty, Shown, State } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { ask, useAsk } from '../parts/api.ts';
import { contactKinds, may, pathOf } from '../parts/session.ts';
import type { Contact, NewContact, Page } from '../wire.ts';

export function Contacts() {
  const view = useAsk<Page<Contact>>(pathOf('contacts'), 10_000);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Contact>();
  const [made, setMade] = useState<NewContact>();
  const add = async (fields: object): Promise<void> => {
    setMade(await ask<NewContact>(pathOf('contacts'), { body: fields }));
    view.reload();
  };
  const takeAway = async ({ id }: Contact): Promise<void> => {
    await ask(pathOf('contacts', id), { method: 'DELETE' });
    setMade(undefined);
    view.reload();
  };
  return (
    <>
      <header class="event-head">
        <h1>Contacts</h1>
        {may('manage') ? (
          <div class="actions">
            <Button word="Add contact …" look="primary" onClick={() => setAdding(true)} />
          </div>
        ) : null}
      </header>
      {made === undefined ? null : <Made contact={made} />}
      <Shown of={view}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No contact yet">
              <p>
                A contact is told when an endpoint has failed for an hour or was disabled, and once a day what ended
                undelivered.
              </p>
            </Empty>
          ) : (
            <ul class="plain card lines">
              {data.map(each => (
                <li key={each.id} class="contact">
                  <State of={each.state} />
                  <span class="type">{visible(addressOf(each))}</span>
                  {may('manage') ? (
                    <Button
                      word="Take away …"
                      look="small"
                      aria-label={`Take away … ${visible(addressOf(each))}`}
                      onClick={() => setLeaving(each)}
                    />
                  ) : null}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      {adding ? <ContactForm onSubmit={add} onClose={() => setAdding(false)} /> : null}
      {leaving === undefined ? null : (
        <Ask
          title="Take this contact away"
          confirm="Take away"
          danger
          onConfirm={() => takeAway(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p>{visible(addressOf(leaving))} is told nothing more.</p>
        </Ask>
      )}
    </>
  );
}

const addressOf = ({ email, url }: Contact): string => email ?? url ?? '';

interface FormProps {
  readonly onSubmit: (fields: object) => Promise<void>;
  readonly onClose: () => void;
}
function ContactForm({ onSubmit, onClose }: FormProps) {
  const takesMail = contactKinds().includes('email');
  const submit = (address: string): Promise<void> => {
    const given = address.trim();
    return onSubmit(takesMail && !/^https?:/i.test(given) ? { email: given } : { url: given });
  };
  const field = {
    label: takesMail ? 'Mail address, or URL' : 'URL',
    placeholder: takesMail ? 'ops@example.com' : 'https://hooks.example.com/told',
    hint: 'It is asked to confirm within 24 hours.',
    autofocus: true,
  };
  return <Ask title="Add a contact" confirm="Add" field={field} onConfirm={submit} onClose={onClose} />;
}

function Made({ contact }: { readonly contact: NewContact }) {
  if (contact.state === 'confirmed') return null;
  return (
    <section class="card guide" role="status">
      <h2>{visible(addressOf(contact))} is asked to confirm</h2>
      <p>It gets a link within a minute or two. Until somebody confirms, it is told nothing.</p>
      {contact.secret === undefined ? null : (
        <>
          <p>
            We sign every request to it. Your server verifies the signature with this secret, which is shown only now.
          </p>
          <Command text={contact.secret} />
        </>
      )}
    </section>
  );
}

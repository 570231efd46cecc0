/** The page of a customer: a frame around one screen. */
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Shown } from '../../ui/parts.tsx';
import { visible } from '../../ui/text.tsx';
import { hasToken, type Link, listenForToken, takeLink, takeToken, useAsk } from './parts/api.ts';
import { hrefOf, usePlace } from './parts/route.ts';
import { contactKinds, logo, may, producer, type Session, setSession } from './parts/session.ts';
import { Catalogue } from './screens/catalogue.tsx';
import { Contacts } from './screens/contacts.tsx';
import { AllDeliveries } from './screens/deliveries.tsx';
import { DeliveryScreen } from './screens/delivery.tsx';
import { EndpointScreen } from './screens/endpoint.tsx';
import { Endpoints } from './screens/endpoints.tsx';
import { LinkPage } from './screens/link.tsx';

function App() {
  const session = useAsk<Session>('/session');
  useEffect(() => {
    listenForToken(session.reload);
    const pasted = (): void => {
      if (takeToken()) session.reload();
    };
    addEventListener('hashchange', pasted);
    return () => removeEventListener('hashchange', pasted);
  }, [session.reload]);
  if (session.data === undefined || !hasToken()) {
    return (
      <main class="alone">
        <Brand />
        <h1>Webhooks</h1>
        <Shown of={session}>{() => null}</Shown>
      </main>
    );
  }
  setSession(session.data);
  return <Frame session={session.data} />;
}

function ForLink({ link }: { readonly link: Link }) {
  return (
    <main class="alone">
      <Brand />
      <LinkPage link={link} />
    </main>
  );
}

function Brand() {
  return (
    <p class="brand">
      {logo() === '' ? null : <img src={logo()} alt="" />}
      <span>{visible(producer())}</span>
    </p>
  );
}

const AREAS: Readonly<Record<string, string>> = {
  deliveries: 'Deliveries',
  endpoints: 'Endpoints',
  events: 'Event types',
  contacts: 'Contacts',
};

/** Contacts only where there are any. */
const areas = () => Object.entries(AREAS).filter(([name]) => name !== 'contacts' || contactKinds().length > 0);

function Frame({ session }: { readonly session: Session }) {
  const { parts } = usePlace();
  const [area = 'deliveries', ep, what, message] = parts;
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const path = parts.join('/');
  // Who reads by ear hears where they are now.
  useEffect(() => {
    if (!first.current) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    first.current = false;
    document.title = `${AREAS[area] ?? 'Endpoints'} · ${producer()} webhooks`;
  }, [path]);
  const isReading = !may('manage') && !may('secrets') && !may('test') && !may('replay');
  return (
    <div class="portal">
      <header class="top">
        <a class="skip" href={`#/${path}`} onClick={() => main.current?.focus()}>
          Skip to the content
        </a>
        <Brand />
        <nav class="menu" aria-label="Webhooks">
          {areas().map(([name, word]) => (
            <a key={name} href={hrefOf(name)} aria-current={area === name ? 'page' : undefined}>
              {word}
            </a>
          ))}
        </nav>
        <p class="who faint">
          {visible(session.application.name)}
          {isReading ? ' · you can look, but not change anything' : ''}
        </p>
      </header>
      <main ref={main} tabIndex={-1} class="page">
        {area === 'events' ? (
          <Catalogue name={ep} />
        ) : area === 'contacts' ? (
          <Contacts />
        ) : area === 'deliveries' ? (
          <AllDeliveries />
        ) : ep === undefined ? (
          <Endpoints />
        ) : what === 'deliveries' && message !== undefined ? (
          <DeliveryScreen key={`${ep} ${message}`} ep={ep} message={message} />
        ) : (
          <EndpointScreen key={ep} ep={ep} tab={what ?? 'deliveries'} />
        )}
      </main>
    </div>
  );
}

const link = takeLink();
takeToken();
const root = document.getElementById('app');
if (root !== null) render(link === undefined ? <App /> : <ForLink link={link} />, root);

/** node:http and Postgres: `server <port>` stores and notifies, `worker` takes what is pending and records the effect. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { receive } from './http-server.ts';

const [role, port] = process.argv.slice(2);
const { DATABASE_URL: connectionString = '', SECRET = '' } = process.env;
const pool = new pg.Pool({ connectionString, max: 10 });

if (role === 'server') {
  receive(Number(port), SECRET, async ({ id, body }) => {
    // One statement, one commit, one fsync; a duplicate inserts nothing and wakes nobody.
    await pool.query(
      `WITH kept AS (INSERT INTO events (id, body) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id)
       SELECT pg_notify('events', '') FROM kept`,
      [id, body],
    );
  });
} else {
  const listener = new pg.Client({ connectionString });
  await listener.connect();
  await listener.query('LISTEN events');
  let wake = (): void => {};
  listener.on('notification', () => wake());
  for (;;) {
    const woken = new Promise<void>(resolve => {
      wake = resolve;
    });
    while ((await takeSome()) > 0);
    // A notification can be lost: look once a second anyway.
    await Promise.race([woken, sleep(1_000)]);
  }
}

/** Up to ten events, with their effects, in one transaction. */
async function takeSome(): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ id: string; body: string }>(
      `SELECT id, body FROM events WHERE done_at IS NULL ORDER BY received_at LIMIT 10 FOR UPDATE SKIP LOCKED`,
    );
    for (const { id, body } of rows) {
      const payment = (JSON.parse(body) as { data: { object: { id: string; amount: number } } }).data.object;
      await client.query(
        `INSERT INTO payments (id, amount) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET times = payments.times + 1`,
        [payment.id, payment.amount],
      );
      await client.query(`UPDATE events SET done_at = clock_timestamp() WHERE id = $1`, [id]);
    }
    await client.query('COMMIT');
    return rows.length;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

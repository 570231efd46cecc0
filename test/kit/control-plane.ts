/**
 * API Gateway's control plane for one HTTP API, as strict as its documentation and reports say: a change while another goes
 * on gets 409, more than ten calls a second (a burst of forty) get 429, and a setting of a route that is not there is
 * refused. `UpdateStage` adds settings and removes none. Times are virtual milliseconds.
 */
const CALL_MS = 120;
const PER_SECOND = 10;
const BURST = 40;

export class ControlPlane {
  readonly routes = new Set<string>();
  readonly settings = new Map<string, unknown>();
  readonly refused: string[] = [];
  now = 0;
  #busyUntil = 0;
  #tokens = BURST;
  #filledAt = 0;
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  readonly wait = (ms: number): Promise<void> =>
    new Promise(wake => {
      this.#sleepers.push({ at: this.now + ms, wake });
    });

  /** A change of the API, e.g. its own deployment of new routes: others get 409 meanwhile. */
  occupy(ms: number): void {
    this.#busyUntil = this.now + ms;
  }

  async updateStage(input: object): Promise<void> {
    const { RouteSettings } = input as { RouteSettings: Readonly<Record<string, unknown>> };
    await this.#change(() => {
      for (const key of Object.keys(RouteSettings))
        if (!this.routes.has(key)) this.#refuse('NotFoundException', `Unable to find Route by key ${key}`);
      for (const [key, value] of Object.entries(RouteSettings)) this.settings.set(key, value);
    });
  }

  async deleteRouteSettings(input: object): Promise<void> {
    const { RouteKey } = input as { RouteKey: string };
    await this.#change(() => {
      if (!this.settings.delete(RouteKey)) this.#refuse('NotFoundException', RouteKey);
    });
  }

  /** Runs until the work is over, moving the clock to each next sleeper. */
  async run<T>(work: Promise<T>): Promise<T> {
    let over = false;
    void work.then(
      () => (over = true),
      () => (over = true),
    );
    for (;;) {
      for (let n = 0; n < 20; n++) await Promise.resolve();
      if (over) return await work;
      const next = this.#sleepers.sort((a, b) => a.at - b.at).shift();
      if (next === undefined) throw new Error('everybody waits, and nobody for a time');
      this.now = Math.max(this.now, next.at);
      next.wake();
    }
  }

  async #change(apply: () => void): Promise<void> {
    this.#tokens = Math.min(BURST, this.#tokens + ((this.now - this.#filledAt) / 1_000) * PER_SECOND);
    this.#filledAt = this.now;
    if (this.#tokens < 1) this.#refuse('TooManyRequestsException', 'Too Many Requests');
    this.#tokens -= 1;
    if (this.now < this.#busyUntil) this.#refuse('ConflictException', 'concurrent modification');
    this.#busyUntil = this.now + CALL_MS;
    await this.wait(CALL_MS);
    apply();
  }

  #refuse(name: string, message: string): never {
    this.refused.push(name);
    throw Object.assign(new Error(message), { name });
  }
}

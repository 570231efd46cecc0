import { guardedSender } from '#adapters/http/guarded-sender.ts';
import { webhookSenderContract } from '../contracts/webhook-sender.contract.ts';

webhookSenderContract('guarded', () => guardedSender({ ports: [443], ownHosts: [], allowAddresses: ['127.0.0.1'] }));

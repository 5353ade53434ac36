import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type HostInfo = {
  name: string;
  controlSocket: string;
  nbdSocket: string;
  arrayctl: string;
};

export type StackInfo = { url: string; user: string; password: string; hosts: HostInfo[] };

export type StackOptions = {
  transferMib: number;
  driveMib: number;
  cacheMib: number;
  battery: string;
  controllers: number;
  demo: boolean;
};

type HostAction = 'stop_agent' | 'kill_agent' | 'start_agent' | 'stop_uplink' | 'start_uplink';

/** A real backend and real agents on emulated drives, in a folder of their own. */
export class Stack {
  private constructor(
    readonly info: StackInfo,
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly answers: AsyncIterator<string>,
    private readonly lines: Interface,
    private readonly folder: string,
  ) {}

  static async start(hosts: string[], options: StackOptions): Promise<Stack> {
    // Socket paths are short: the folder is not below the checkout.
    const folder = await mkdtemp(join(tmpdir(), 'aw-e2e-'));
    const script = fileURLToPath(new URL('../stack/serve.py', import.meta.url));
    const child = spawn('python3', [
      script,
      '--folder',
      folder,
      '--transfer-mib',
      String(options.transferMib),
      '--drive-mib',
      String(options.driveMib),
      '--cache-mib',
      String(options.cacheMib),
      '--battery',
      options.battery,
      '--controllers',
      String(options.controllers),
      ...(options.demo ? ['--demo'] : []),
      ...hosts.flatMap((name) => ['--host', name]),
    ]);
    let complaints = '';
    child.stderr.on('data', (text: Buffer) => {
      complaints += text.toString();
    });
    const lines = createInterface({ input: child.stdout });
    const answers = lines[Symbol.asyncIterator]();
    const first = await answers.next();
    if (first.done) {
      throw new Error(`the stack did not start:\n${complaints}`);
    }
    return new Stack(JSON.parse(first.value) as StackInfo, child, answers, lines, folder);
  }

  private async command(command: object): Promise<Record<string, unknown>> {
    this.child.stdin.write(`${JSON.stringify(command)}\n`);
    const line = await this.answers.next();
    if (line.done) {
      throw new Error('the stack has ended');
    }
    const answer = JSON.parse(line.value) as { ok: boolean; error?: string };
    if (!answer.ok) {
      throw new Error(answer.error);
    }
    return answer;
  }

  async do(action: HostAction, host: string): Promise<void> {
    await this.command({ do: action, host });
  }

  /** A mirror of md's own format is in these slots after the next start of the agent. */
  async plugMdMirror(
    host: string,
    mirror: { slots: [number, number]; name: string; content: string; clean: boolean },
  ): Promise<void> {
    await this.command({ do: 'plug_md_mirror', host, ...mirror });
  }

  async backend(action: 'stop_backend' | 'start_backend'): Promise<void> {
    await this.command({ do: action });
  }

  host(name: string): HostInfo {
    const host = this.info.hosts.find((candidate) => candidate.name === name);
    if (!host) {
      throw new Error(`no host ${name} in this stack`);
    }
    return host;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.stdin.end();
    await ended;
    this.lines.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program of the host and returns what it printed. */
export async function run(program: string, ...words: string[]): Promise<string> {
  const path = `${process.env.PATH}:/usr/sbin:/sbin`;
  const done = await execute(program, words, { env: { ...process.env, PATH: path } });
  return done.stdout;
}

export async function scratchFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'aw-files-'));
}

/** An ext4 image with a few files in it, and a way to look whether they are still the same. */
export class FileSystemImage {
  private constructor(
    readonly folder: string,
    readonly path: string,
  ) {}

  static async make(bytes: number): Promise<FileSystemImage> {
    const folder = await scratchFolder();
    const files = join(folder, 'files');
    await mkdir(files);
    for (let index = 0; index < 20; index += 1) {
      await writeFile(join(files, `file${index}`), `${index}:`.repeat(50_000 + index));
    }
    const path = join(folder, 'image');
    await run('mke2fs', '-q', '-t', 'ext4', '-d', files, path, `${Math.floor(bytes / 1024)}k`);
    return new FileSystemImage(folder, path);
  }

  /** Copies the device out, checks the file system and compares every byte with this image. */
  async expectOn(uri: string): Promise<void> {
    const copy = join(this.folder, 'copy');
    await run('nbdcopy', uri, copy);
    await run('e2fsck', '-f', '-n', copy);
    const [mine, theirs] = await Promise.all([readFile(this.path), readFile(copy)]);
    if (Buffer.compare(mine, theirs.subarray(0, mine.length)) !== 0) {
      throw new Error('the virtual drive does not hold what was written');
    }
    await rm(copy);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs shell lines as somebody would who pasted them from the page. */
export async function paste(lines: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', lines], {
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    });
    let output = '';
    shell.stdout.on('data', (text: Buffer) => {
      output += text.toString();
    });
    shell.stderr.on('data', (text: Buffer) => {
      output += text.toString();
    });
    shell.on('exit', (status) => {
      if (status === 0) {
        resolve(output);
      } else {
        reject(new Error(`${lines}\nended with ${status}:\n${output}`));
      }
    });
  });
}

/**
 * A stand-in for sbatch, squeue, sacct and scancel: node standInSlurm.mjs FOLDER PROGRAM WORDS. Jobs are real
 * processes of this machine. FOLDER contains conduct.json, the cluster's behaviour, and a folder for each array. Words
 * that Slurm doesn't accept, or that its programs don't need here, are refused in Slurm's form.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [folder = '', program = '', ...words] = process.argv.slice(2);

/** Returns the behaviour that a test set. */
const conduct = () => ({
  /** Number of jobs that run at once. */
  slots: 2,
  /** Ends of jobs before their script does anything, by number in the array. */
  fates: {},
  /** True if squeue forgets ended jobs. */
  forgets: false,
  ...JSON.parse(readFileSync(join(folder, 'conduct.json'), 'utf8')),
});

const fail = (text) => {
  process.stderr.write(`${program}: error: ${text}\n`);
  process.exit(1);
};

/** Returns options by the names of Slurm's manual, and other arguments. */
function parsed(known) {
  const options = {};
  const rest = [];
  for (const word of words) {
    const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) rest.push(word);
    else if (!known.includes(name)) fail(`unrecognized option '${word}'`);
    else options[name] = value ?? true;
  }
  return { options, rest };
}

const ids = () =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => a - b);
const at = (id, name) => join(folder, id, name);
/** Returns arrays with jobs.json, which is written last. */
const arrays = () => ids().filter((id) => existsSync(at(id, 'jobs.json')));
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
function write(path, value) {
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(value));
  renameSync(`${path}.${process.pid}`, path);
}
const jobsOf = (id) => read(at(id, 'jobs.json'));

const programs = {
  sbatch: () => {
    const taken = 'job-name array nodes ntasks chdir output partition account time gres qos mem comment';
    const { options, rest } = parsed(taken.split(' '));
    const [, count, atOnce] = /^0-(\d+)(?:%(\d+))?$/.exec(options.array) ?? fail('Invalid job array specification');
    if (options.partition !== undefined && options.partition !== 'main') {
      process.stderr.write(`sbatch: error: invalid partition specified: ${options.partition}\n`);
      fail('Batch job submission failed: Invalid partition name specified');
    }
    if (options.time !== undefined && !/^[\d:-]+$/.test(options.time)) fail('Invalid --time specification');
    const script = resolve(rest[0] ?? '');
    const text = existsSync(script) ? readFileSync(script, 'utf8') : fail(`Unable to open file ${rest[0]}`);
    if (!text.startsWith('#!')) fail('This does not look like a batch script.');
    const id = String(Number(ids().at(-1) ?? 0) + 1);
    mkdirSync(join(folder, id));
    const jobs = Array.from({ length: Number(count) + 1 }, () => ({ state: 'PENDING', reason: 'None', node: '' }));
    write(at(id, 'array.json'), { ...options, script, text, atOnce: Number(atOnce ?? 1e9) });
    write(at(id, 'jobs.json'), jobs);
    const scheduler = spawn(process.execPath, [process.argv[1], folder, 'scheduler', id], {
      detached: true,
      stdio: 'ignore',
    });
    scheduler.unref();
    process.stdout.write(`${id}\n`);
  },

  /** Runs the jobs of one array: no program of Slurm's. */
  scheduler: async () => {
    const id = words[0];
    const array = read(at(id, 'array.json'));
    const jobs = jobsOf(id);
    const running = new Map();
    const keep = () => write(at(id, 'jobs.json'), jobs);
    const end = (task, state, reason = 'None') => {
      running.delete(task);
      jobs[task] = { ...jobs[task], state, reason };
      keep();
    };
    const start = (task) => {
      const name = `${id}_${task}`;
      const output = openSync(resolve(array.chdir, array.output.replace('%a', task)), 'w');
      let fate = conduct().fates[task];
      const shell = array.text.slice(2).split('\n')[0].split(' ')[0];
      // A sleep, since a script could end before its fate is applied.
      const [command, args] = fate === undefined ? [shell, ['-l', array.script, name]] : ['sleep', ['600']];
      const child = spawn(command, args, {
        cwd: array.chdir,
        detached: true,
        stdio: ['ignore', output, output],
        env: {
          ...process.env,
          // A login shell that is killed at its start may leave locks in its home: keep them out of the tester's home.
          HOME: folder,
          SLURM_ARRAY_TASK_ID: String(task),
          SLURM_JOB_NAME: array['job-name'],
          SLURMD_NODENAME: 'node01',
        },
      });
      closeSync(output);
      running.set(task, child);
      jobs[task] = { state: 'RUNNING', reason: 'None', node: 'node01', startedAt: Date.now() };
      keep();
      const kill = (signal) => {
        try {
          process.kill(-child.pid, signal);
        } catch {
          // The process has ended.
        }
      };
      child.killAs = (state) => {
        fate = state;
        // Slurm does the same. SIGKILL only ensures that nothing stays, much later, since a busy machine is slow.
        kill(state === 'NODE_FAIL' ? 'SIGKILL' : 'SIGTERM');
        setTimeout(kill, 600_000, 'SIGKILL').unref();
      };
      if (fate !== undefined) child.killAs(fate);
      child.on('close', (code) => {
        jobs[task].endedAt = Date.now();
        if (fate !== undefined) end(task, fate);
        else if (code === 0) end(task, 'COMPLETED');
        else end(task, 'FAILED', code === null ? 'JobLaunchFailure' : 'NonZeroExitCode');
        step();
      });
    };
    const step = () => {
      const { slots } = conduct();
      for (const [task, job] of jobs.entries()) {
        if (running.size >= Math.min(slots, array.atOnce)) break;
        if (job.state === 'PENDING') start(task);
      }
    };
    const isOver = () => running.size === 0 && jobs.every(({ state }) => state !== 'PENDING');
    while (!isOver()) {
      if (existsSync(at(id, 'cancelled'))) {
        for (const [task, job] of jobs.entries())
          if (job.state === 'PENDING') jobs[task] = { ...job, state: 'CANCELLED' };
        keep();
        for (const child of running.values()) if (child.isCancelled !== true) child.killAs('CANCELLED');
        for (const child of running.values()) child.isCancelled = true;
      }
      step();
      await pause(20);
    }
  },

  squeue: () => {
    const { options } = parsed(['noheader', 'array', 'states', 'name', 'format']);
    const { forgets } = conduct();
    if (options.format !== '%j|%F_%K|%T|%N|%r' || options.states !== 'all') fail('the stand-in knows one format only');
    // Slurm also shares a line among jobs cancelled before their start.
    const neverBegun = named(options.name).filter(({ job }) => job.state === 'CANCELLED' && job.node === '');
    for (const id of new Set(neverBegun.map((one) => one.id))) {
      const [first, ...rest] = neverBegun.filter((one) => one.id === id);
      const tasks = [first, ...rest].map(({ task }) => task).join(',');
      if (!forgets) process.stdout.write(`${first.name}|${id}_${tasks}|CANCELLED||None\n`);
    }
    for (const { id, name, task, job } of named(options.name)) {
      if (job.state === 'CANCELLED' && job.node === '') continue;
      if (forgets && !['PENDING', 'RUNNING'].includes(job.state)) continue;
      const reason = job.state === 'PENDING' ? 'Priority' : job.reason;
      process.stdout.write(`${name}|${id}_${task}|${job.state}|${job.node}|${reason}\n`);
    }
  },

  sacct: () => {
    const { options } = parsed(['noheader', 'parsable2', 'allocations', 'starttime', 'name', 'format']);
    if (!/^\d{4}-\d\d-\d\d$/.test(options.starttime)) fail(`Invalid time specification (pos=0): ${options.starttime}`);
    if (options.format !== 'JobName,JobID,State,NodeList,ExitCode') fail('the stand-in knows one format only');
    for (const { id, name, task, job } of named(options.name)) {
      const state = job.state === 'CANCELLED' ? 'CANCELLED by 1000' : job.state;
      process.stdout.write(
        `${name}|${id}_${task}|${state}|${job.node || 'None assigned'}|${job.state === 'FAILED' ? '1:0' : '0:0'}\n`,
      );
    }
  },

  scancel: () => {
    const { options } = parsed(['quiet', 'name']);
    for (const id of arrays()) {
      if (read(at(id, 'array.json'))['job-name'] === options.name) writeFileSync(at(id, 'cancelled'), '');
    }
  },
};

function named(names) {
  const wanted = new Set(names.split(','));
  return arrays().flatMap((id) => {
    const name = read(at(id, 'array.json'))['job-name'];
    return wanted.has(name) ? jobsOf(id).map((job, task) => ({ id, name, task, job })) : [];
  });
}

await (programs[program] ?? (() => fail(`no such program in ${dirname(folder)}`)))();

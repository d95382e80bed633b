// Works on no-op jobs with graphile-worker at its best settings: a local queue,
// and completions in batches. Prints a line at the start of the runner, and
// one with the microseconds of processor time when the last job has completed.
// The database is that of PGHOST and its like.
import pg from "pg";
import { run, runMigrations, Logger } from "graphile-worker";

const jobs = Number(process.argv[2]);
const pgPool = new pg.Pool({ max: 20 });
const logger = new Logger(() => () => {});
await runMigrations({ pgPool, logger });
for (let stored = 0; stored < jobs; stored += 5000) { // all in one statement take a time that grows with the square
  await pgPool.query("SELECT graphile_worker.add_job('noop', '{}'::json) FROM generate_series(1, $1::int)", [Math.min(5000, jobs - stored)]);
}
await pgPool.query("VACUUM ANALYZE graphile_worker._private_jobs");

console.log("begin");
const began = process.cpuUsage();
const runner = await run({
  pgPool,
  logger,
  noHandleSignals: true,
  pollInterval: 100,
  concurrency: 100,
  taskList: { noop: () => {} },
  preset: { worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
});
for (;;) {
  const { rows } = await pgPool.query("SELECT EXISTS (SELECT 1 FROM graphile_worker._private_jobs) AS left");
  if (!rows[0].left) break;
  await new Promise((resolve) => setTimeout(resolve, 5));
}
const { user: inUser, system } = process.cpuUsage(began);
console.log("end", inUser + system);
await runner.stop();
await pgPool.end();

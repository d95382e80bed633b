// Works on no-op jobs with pg-boss at its best settings: it fetches and completes
// in batches, in several loops that never pause. Prints a line before the
// first fetch, and one with the microseconds of processor time after the last
// completion. The database is that of PGHOST and its like.
import PgBoss from "pg-boss";

const jobs = Number(process.argv[2]);
const batch = 500;
const loops = 4;
const { PGHOST: host, PGPORT: port, PGUSER: user, PGDATABASE: database } = process.env;
const boss = new PgBoss({ host, port: Number(port), user, database, max: 20, supervise: false, schedule: false });
boss.on("error", (error) => {
  throw error;
});
await boss.start();
const queue = `noop-${process.pid}`;
await boss.createQueue(queue);
for (let stored = 0; stored < jobs; stored += 1000) {
  const list = Array.from({ length: Math.min(1000, jobs - stored) }, () => ({ name: queue, data: {} }));
  await boss.insert(list);
}

console.log("begin");
const began = process.cpuUsage();
await Promise.all(
  Array.from({ length: loops }, async () => {
    for (;;) {
      const list = await boss.fetch(queue, { batchSize: batch });
      if (list.length === 0) return;
      await boss.complete(queue, list.map((job) => job.id));
    }
  }),
);
const { user: inUser, system } = process.cpuUsage(began);
console.log("end", inUser + system);
await boss.stop({ graceful: false });

import { post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct, type Act } from '../ui/act'
import { textOf } from '../ui/field'
import { ago, plural } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { groupsOf, groupsText } from './settings'

type Worker = Schemas['RemoteWorker']

/** Remote shows the workers on other machines: their slot groups, when they were last heard of, and what no one of them takes. */
export function Remote() {
  const manages = useMay()('workers', 'manage')
  const [ask, dialog] = useAct()
  const status = useRead<Schemas['WorkerStatus']>('/admin/workers/status', { key: ['lanes', 'workers'], every: 15_000 })
  return (
    <Part title="Remote workers" query={status} aside={status.data && <span className="muted">{plural(status.data.remote.connected, 'worker')} connected, {status.data.remote.active} of {plural(status.data.remote.capacity, 'slot')} in use</span>}>
      {(data) => (
        <>
          {(data.remote.unserved ?? []).map((q) => (
            <p key={q.job_type + q.queue} className="warning">
              No connected worker takes {q.job_type} in the queue {q.queue}: {plural(q.count, 'job')} since {ago(q.oldest)}.
            </p>
          ))}
          <Table label="Remote workers" rows={data.remote_workers ?? []} keyOf={(w) => w.worker_id} empty="No remote worker is connected." more="kg worker connects one, from a machine that has the secret of the workers."
            columns={[
              { head: 'Worker', cell: (w) => <>{w.name}<small className="muted">{w.address} {w.version}</small></>, kind: 'name' },
              { head: 'State', cell: (w) => (w.blocked ? <span className="warning">blocked</span> : w.state) },
              { head: 'Running', cell: (w) => `${w.active} of ${w.capacity}`, kind: 'num' },
              { head: 'Slot groups', cell: (w) => (w.groups ?? []).map((g) => <small key={g.group}>{(g.queues ?? []).join(', ')}: {g.active} of {g.max}</small>), kind: 'name' },
              { head: 'Last heard', cell: (w) => ago(w.last_seen), kind: 'num' },
              { head: 'Done, failed, late', cell: (w) => `${w.completed}, ${w.failed}, ${w.late}`, kind: 'num' },
              manages && {
                head: 'Act',
                cell: (w) => (
                  <span className="actions">
                    {w.state === 'draining' || w.state === 'drained' ? <button onClick={() => ask(order(w, 'undrain'))} aria-label={`Have ${w.name} work again`}>Work again…</button> : <button onClick={() => ask(order(w, 'drain'))} aria-label={`Drain ${w.name}`}>Drain…</button>}
                    <button onClick={() => ask(setGroups(w))} aria-label={`Slot groups of ${w.name}`}>Groups…</button>
                    <button onClick={() => ask(order(w, 'disconnect'))} aria-label={`Disconnect ${w.name}`}>Disconnect…</button>
                    {!w.blocked && <button onClick={() => ask(order(w, 'block'))} aria-label={`Block ${w.name}`}>Block…</button>}
                  </span>
                ),
              },
            ]} />
          {dialog}
        </>
      )}
    </Part>
  )
}

const orders = {
  drain: { title: 'Drain', confirm: 'Drain', danger: false, text: (w: Worker) => `It takes nothing new; ${w.active} still running are finished.` },
  undrain: { title: 'Work again', confirm: 'Work again', danger: false, text: () => 'It takes jobs again.' },
  disconnect: { title: 'Disconnect', confirm: 'Disconnect', danger: false, text: () => 'Its connection ends, and it comes back by itself.' },
  block: { title: 'Block', confirm: 'Block', danger: true, text: () => 'It is refused from now on. Its jobs are given to others.' },
}

const order = (w: Worker, what: keyof typeof orders): Act => ({
  ...orders[what], title: `${orders[what].title}: ${w.name}?`, text: orders[what].text(w),
  run: async () => (await post<Schemas['ActedAnswer']>(`/admin/workers/remote/${encodeURIComponent(w.worker_id)}/${what}`)).message,
})

const setGroups = (w: Worker): Act => ({
  title: `Slot groups of ${w.name}`, confirm: 'Set them', text: 'In place of those that the worker asked for. Empty: its own.',
  fields: [{ name: 'groups', label: 'Groups, one a line', kind: 'area', value: groupsText(w.groups ?? []), help: 'queues with commas between, a colon, and how many jobs of them run at once: fast, slow: 3' }],
  run: async (v) => (await request<Schemas['ActedAnswer']>('PUT', `/admin/workers/remote/${encodeURIComponent(w.worker_id)}/groups`, { groups: groupsOf(textOf(v.groups)) })).body.message,
})

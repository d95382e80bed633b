import type { Schemas } from '../api/client'
import { ago, plural } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'

/** Workers shows every process that works on jobs. */
export function Workers() {
  const status = useRead<Schemas['WorkerStatus']>('/admin/workers/status', { key: ['lanes', 'workers'], every: 15_000 })
  const beat = (id: string) => status.data?.workers?.find((w) => w.worker_id === id)?.heartbeat_age_seconds
  return (
    <Part title="Workers" query={status} aside={status.data && <span className="muted">{status.data.slots_in_use} of {plural(status.data.total_slots, 'slot')} in use</span>}>
      {(data) => (
        <Table label="Workers" rows={data.processes ?? []} keyOf={(w) => w.worker_id} empty="No worker is known." more="Jobs wait until a server or a remote worker is there."
          columns={[
            { head: 'Worker', cell: (w) => w.name || w.worker_id, kind: 'name' },
            { head: 'Kind', cell: (w) => w.kind + (w.leads_since ? ', leads' : '') },
            { head: 'State', cell: (w) => w.state },
            { head: 'Running', cell: (w) => (w.capacity > 0 ? `${w.running} of ${w.capacity}` : w.running), kind: 'num' },
            { head: 'Runs', cell: (w) => (w.runs ?? []).join(', '), kind: 'name' },
            { head: 'Last heard', cell: (w) => (beat(w.worker_id) == null ? '' : `${Math.round(beat(w.worker_id)!)} s ago`), kind: 'num' },
            { head: 'Version', cell: (w) => w.version },
            { head: 'Started', cell: (w) => ago(w.started_at), kind: 'num' },
          ]} />
      )}
    </Part>
  )
}

import { del, post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct, type Act } from '../ui/act'
import { filled } from '../ui/field'
import { ago, plural } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'

type Limit = Schemas['Limit']

/** HoldsTab shows what is paused and what is limited, by whom and why, and changes that. */
export function HoldsTab() {
  const manages = useMay()('workers', 'manage')
  const [ask, dialog] = useAct()
  const pauses = useRead<Schemas['PauseList']>('/admin/pauses', { every: 15_000 })
  const limits = useRead<Schemas['LimitList']>('/admin/limits', { every: 15_000 })
  const status = useRead<Schemas['WorkerStatus']>('/admin/workers/status', { key: ['lanes', 'workers'], every: 15_000 })
  const everything = pauses.data?.pauses?.some((p) => p.scope === 'all')
  const running = status.data?.running_count ?? 0
  return (
    <>
      <Part title="Pauses" query={pauses} aside={manages && <button className="primary" onClick={() => ask(pause)}>Pause…</button>}>
        {(data) => (
          <>
            {everything && <p className="warning" role="status">{running > 0 ? `Nothing more is claimed; ${running} still running.` : 'Nothing more is claimed, and nothing runs: all is drained.'}</p>}
            <Table label="Pauses" rows={data.pauses ?? []} keyOf={(p) => p.pause_id} empty="Nothing is paused." more="To drain all servers, pause everything and wait until nothing runs."
              columns={[
                { head: 'What', cell: (p) => (p.scope === 'all' ? 'everything' : `${p.scope} ${p.value}`), kind: 'name' },
                { head: 'Why', cell: (p) => p.reason, kind: 'name' },
                { head: 'By', cell: (p) => <>{p.paused_by}<small className="muted">{ago(p.paused_at)}</small></> },
                { head: 'Wait for it', cell: (p) => plural(p.jobs, 'job'), kind: 'num' },
                manages && { head: 'Resume', cell: (p) => <button onClick={() => ask(resume(p))} aria-label={`Resume ${p.scope} ${p.value ?? ''}`}>Resume…</button> },
              ]} />
          </>
        )}
      </Part>
      <Part title="Limits" query={limits} aside={manages && <button className="primary" onClick={() => ask(limit)}>Limit…</button>}>
        {(data) => (
          <Table label="Limits" rows={data.limits ?? []} keyOf={(l) => l.limit_id} empty="Nothing is limited but by the slots of its lane."
            columns={[
              { head: 'What', cell: (l) => whatOf(l), kind: 'name' },
              { head: 'To', cell: (l) => allowsOf(l), kind: 'num' },
              { head: 'Why', cell: (l) => <>{l.reason}<small className="muted">{l.set_by}, {ago(l.set_at)}</small></>, kind: 'name' },
              { head: 'Running', cell: (l) => l.running, kind: 'num' },
              { head: 'Held', cell: (l) => l.held, kind: 'num' },
              manages && { head: 'Change', cell: (l) => <button onClick={() => ask(change(l))} aria-label={`Change the limit of ${whatOf(l)}`}>Change…</button> },
              manages && { head: 'Remove', cell: (l) => <button onClick={() => ask(unlimit(l))} aria-label={`Remove the limit of ${whatOf(l)}`}>Remove…</button> },
            ]} />
        )}
      </Part>
      {dialog}
    </>
  )
}

const whatOf = (l: Limit) => [l.each ? 'each' : '', l.scope === 'data' ? l.key : l.scope, l.value].filter(Boolean).join(' ')
const allowsOf = (l: Pick<Limit, 'max_running' | 'per_second'>) => [l.max_running ? `${l.max_running} at once` : '', l.per_second ? `${l.per_second} a second` : ''].filter(Boolean).join(', ')
const why = { name: 'reason', label: 'Why', required: true, help: 'for everybody whose jobs wait' }

const pause: Act = {
  title: 'Pause', confirm: 'Pause', text: 'Nothing more of it is claimed, on all servers and by all remote workers. What runs is not touched.',
  fields: [
    { name: 'scope', label: 'What', kind: 'select', required: true, value: 'all', options: [['all', 'everything'], ['type', 'a job type'], ['queue', 'a queue'], ['ontology', 'an ontology'], ['user', 'the jobs of an account']] },
    { name: 'value', label: 'Its name', help: 'none for everything' },
    why,
  ],
  run: async (v) => `Paused; ${plural((await post<Schemas['Pause']>('/admin/pauses', filled(v))).jobs, 'job')} wait for it.`,
}

const resume = (p: Schemas['Pause']): Act => ({
  title: `Resume ${p.scope === 'all' ? 'everything' : `${p.scope} ${p.value}`}?`, confirm: 'Resume', text: `${plural(p.jobs, 'job')} are claimed again. It was paused by ${p.paused_by}: ${p.reason}`,
  run: async () => (await del('/admin/pauses/' + p.pause_id), 'Claimed again.'),
})

const numbers = [
  { name: 'max_running', label: 'How many run at once', kind: 'number' as const, min: 1, max: 100_000 },
  { name: 'per_second', label: 'How many start a second', kind: 'number' as const, min: 0.001, max: 1000, step: 'any' as const },
]

const limit: Act = {
  title: 'Limit', confirm: 'Limit',
  fields: [
    { name: 'scope', label: 'By', kind: 'select', required: true, value: 'type', options: [['type', 'job type'], ['queue', 'queue'], ['user', 'account'], ['ontology', 'ontology'], ['data', 'a member of their data']] },
    { name: 'key', label: 'The member of their data, such as meta.host' },
    { name: 'value', label: 'The one that is limited', help: 'empty where each is limited for itself' },
    { name: 'each', label: 'each for itself', kind: 'check' },
    ...numbers, why,
  ],
  run: async (v) => (await post('/admin/limits', filled(v, ['max_running', 'per_second'])), 'The limit is set.'),
}

const change = (l: Limit): Act => ({
  title: `Change the limit of ${whatOf(l)}`, confirm: 'Change the limit',
  fields: [{ ...numbers[0]!, value: l.max_running ? String(l.max_running) : '' }, { ...numbers[1]!, value: l.per_second ? String(l.per_second) : '' }, { ...why, value: l.reason }],
  changes: (v) => {
    const to = allowsOf({ max_running: Number(v.max_running), per_second: Number(v.per_second) })
    return [...(to !== allowsOf(l) ? [`${allowsOf(l)} → ${to || 'nothing'}`] : []), ...(v.reason !== l.reason ? ['Why'] : [])]
  },
  run: async (v) => (await request('PUT', '/admin/limits/' + l.limit_id, filled(v, ['max_running', 'per_second'])), 'The limit is changed.'),
})

const unlimit = (l: Limit): Act => ({
  title: `Remove the limit of ${whatOf(l)}?`, confirm: 'Remove the limit', danger: true, text: `${plural(l.held, 'job')} are held by it.`,
  run: async () => (await del('/admin/limits/' + l.limit_id), 'The limit is removed.'),
})

import { request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct, type Act } from '../ui/act'
import { filled } from '../ui/field'
import { took } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'

type JobType = Schemas['JobTypePolicy']

/** TypesTab lists the job types, how each is retried, and how long it may take. */
export function TypesTab() {
  const manages = useMay()('workers', 'manage')
  const [ask, dialog] = useAct()
  const types = useRead<Schemas['JobTypeList']>('/admin/job-types')
  return (
    <>
      <Part title="Job types" query={types}>
        {(data) => (
          <Table label="Job types" rows={data.job_types ?? []} keyOf={(t) => t.job_type} empty="There is no job type."
            columns={[
              { head: 'Job type', cell: (t) => <>{t.job_type}{t.remote && <small className="muted">remote</small>}</> },
              { head: 'What it does', cell: (t) => t.summary, kind: 'name' },
              { head: 'Tried again', cell: (t) => `${t.policy.max_retries} times`, kind: 'num' },
              { head: 'After', cell: (t) => `${took(t.policy.backoff_first_ms / 1000)}, then × ${t.policy.backoff_factor}, at most ${took(t.policy.backoff_most_ms / 1000)}` },
              { head: 'May take', cell: (t) => (t.policy.deadline_ms ? took(t.policy.deadline_ms / 1000) : 'any time'), kind: 'num' },
              { head: 'Changed', cell: (t) => (t.changed ?? []).join(', ').replaceAll('_', ' ') },
              manages && { head: 'Change', cell: (t) => <button onClick={() => ask(change(t))} aria-label={`Change ${t.job_type}`}>Change…</button> },
            ]} />
        )}
      </Part>
      {dialog}
    </>
  )
}

const numbers: [name: 'max_retries' | 'backoff_first_ms' | 'backoff_factor' | 'backoff_most_ms' | 'jitter' | 'deadline_ms', label: string][] = [
  ['max_retries', 'How often it is tried again'], ['backoff_first_ms', 'The first time after, in ms'], ['backoff_factor', 'Each later one after so many times as long'], ['backoff_most_ms', 'But at most after, in ms'], ['jitter', 'Spread by up to, 0 to 1'], ['deadline_ms', 'A run may take, in ms'],
]

const change = (t: JobType): Act => ({
  title: `Change ${t.job_type}`, confirm: 'Change', fields: [...numbers.map(([name, label]) => ({ name, label, kind: 'number' as const, min: 0, step: 'any' as const, value: t.policy[name] == null ? '' : String(t.policy[name]) })), { name: 'reset', label: 'back to what the program says, all of it', kind: 'check' as const }],
  changes: (v) => (v.reset ? ['All is as the program says'] : numbers.filter(([n]) => v[n] !== '' && Number(v[n]) !== t.policy[n]).map(([n, label]) => `${label}: ${t.policy[n] ?? 'any'} → ${Number(v[n])}`)),
  run: async (v) => {
    const { reset, ...rest } = v
    const body = reset ? { reset: t.changed ?? [] } : Object.fromEntries(Object.entries(filled(rest, numbers.map(([n]) => n))).filter(([n, value]) => value !== t.policy[n as 'jitter']))
    await request('PATCH', '/admin/job-types/' + encodeURIComponent(t.job_type), body)
    return 'It counts at once, for jobs that wait too.'
  },
})

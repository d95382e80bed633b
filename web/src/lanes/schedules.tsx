import { useSearchParams, Link } from 'wouter'
import { del, post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct, type Act } from '../ui/act'
import { filled, textOf, type Field, type Values } from '../ui/field'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { instant, until } from '../ui/units'

type Schedule = Schemas['Schedule']

/** SchedulesTab lists what runs by the clock, when it runs next and how it went last, and runs it now. */
export function SchedulesTab() {
  const manages = useMay()('workers', 'manage')
  const [ask, dialog] = useAct()
  const [search, setSearch] = useSearchParams()
  const open = search.get('runs')
  const schedules = useRead<Schemas['ScheduleList']>('/admin/schedules', { every: 30_000 })
  const types = useRead<Schemas['JobTypeList']>('/admin/job-types', { enabled: manages })
  const names = (types.data?.job_types ?? []).map((t) => t.job_type)
  return (
    <>
      <Part title="Schedules" query={schedules} aside={manages && <button className="primary" onClick={() => ask(edit(names))}>New schedule…</button>}>
        {(data) => (
          <Table label="Schedules" rows={data.schedules ?? []} keyOf={(s) => s.name} empty="Nothing runs by the clock."
            columns={[
              { head: 'Schedule', cell: (s) => <><button className="link" aria-pressed={s.name === open} onClick={() => setSearch({ runs: s.name })}>{s.name}</button>{!s.enabled && <small className="warning">disabled</small>}</>, kind: 'name' },
              { head: 'Job type', cell: (s) => s.job_type },
              { head: 'When', cell: (s) => <><code className="num">{s.cron}</code><small className="muted">{s.time_zone}{s.condition && ', if ' + s.condition.replaceAll('_', ' ')}</small></> },
              { head: 'Next', cell: (s) => (s.enabled && s.next_run_at ? <>{until(s.next_run_at)}<small className="muted">{instant(s.next_run_at)}</small></> : ''), kind: 'num' },
              { head: 'Last', cell: (s) => <>{s.last_job_id ? <Link href={'/jobs/' + s.last_job_id}>{s.last_outcome || 'ran'}</Link> : s.last_outcome}<small className="muted">{instant(s.last_run_at)} {s.last_reason}</small></>, kind: 'name' },
              manages && {
                head: 'Act',
                cell: (s) => (
                  <span className="actions">
                    <button onClick={() => ask(runNow(s))} aria-label={`Run now: ${s.name}`}>Run now…</button>
                    <button onClick={() => ask(edit(names, s))} aria-label={`Change ${s.name}`}>Change…</button>
                    <button onClick={() => ask(remove(s))} aria-label={`Remove ${s.name}`}>Remove…</button>
                  </span>
                ),
              },
            ]} />
        )}
      </Part>
      {open && <Runs name={open} />}
      {dialog}
    </>
  )
}

function Runs({ name }: { name: string }) {
  const runs = useRead<Schemas['ScheduleRunList']>(`/admin/schedules/${encodeURIComponent(name)}/runs?limit=20`)
  return (
    <Part title={`Last runs of ${name}`} query={runs}>
      {(data) => (
        <Table label={`Last runs of ${name}`} rows={data.runs ?? []} keyOf={(r) => r.scheduled_for} empty="It was not due yet."
          columns={[
            { head: 'Due', cell: (r) => instant(r.scheduled_for), kind: 'num' },
            { head: 'Answered by', cell: (r) => (r.job_id ? <Link href={'/jobs/' + r.job_id}>{r.job_id}</Link> : `skipped: ${r.skip_reason}`), kind: 'name' },
          ]} />
      )}
    </Part>
  )
}

const runNow = (s: Schedule): Act => ({
  title: `Run ${s.name} now?`, confirm: 'Run now', text: `A job of the type ${s.job_type} is submitted. When it runs by the clock stays as it is.`,
  run: async () => {
    const { job_id } = await post<Schemas['DecisionAnswer']>(`/admin/schedules/${encodeURIComponent(s.name)}/run`)
    return (
      <p>
        The job <Link href={'/jobs/' + job_id}>{job_id}</Link> is submitted.
      </p>
    )
  },
})

const remove = (s: Schedule): Act => ({
  title: `Remove ${s.name}?`, confirm: 'Remove the schedule', danger: true, text: 'The jobs that it submitted stay.',
  run: async () => (await del('/admin/schedules/' + encodeURIComponent(s.name)), 'The schedule is removed.'),
})

/** edit asks for a new schedule, or for changes of one. */
function edit(types: string[], s?: Schedule): Act {
  const data = s?.data && Object.keys(s.data as object).length ? JSON.stringify(s.data, null, 2) : ''
  const was: Record<string, string | boolean> = { job_type: s?.job_type ?? '', cron: s?.cron ?? '', time_zone: s?.time_zone ?? 'UTC', condition: s?.condition ?? '', priority: String(s?.priority ?? 0), data, enabled: s?.enabled ?? true }
  const fields: Field[] = [
    ...(s ? [] : [{ name: 'name', label: 'Name', required: true }]),
    { name: 'job_type', label: 'Job type', required: true, value: was.job_type, options: types },
    { name: 'cron', label: 'When', required: true, value: was.cron, help: 'minute, hour, day of month, month, day of week: 30 2 * * 1-5' },
    { name: 'time_zone', label: 'In the time zone', value: was.time_zone },
    { name: 'condition', label: 'Only if', value: was.condition, options: [['queue_idle', 'nothing else waits'], ['previous_done', 'the run before has ended']], help: 'empty: always' },
    { name: 'priority', label: 'Priority', kind: 'number', min: -100, max: 100, value: was.priority },
    { name: 'data', label: 'What the job type takes, as JSON', kind: 'area', value: data },
    { name: 'enabled', label: 'runs by the clock', kind: 'check', value: was.enabled },
  ]
  const changed = (v: Values) => Object.keys(was).filter((n) => v[n] !== was[n])
  const body = (v: Values) => {
    const all: Record<string, unknown> = { ...filled(v, ['priority']) }
    if (typeof v.data === 'string' && v.data) all.data = parsed(v.data)
    return all
  }
  return {
    title: s ? `Change ${s.name}` : 'New schedule', confirm: s ? 'Change the schedule' : 'Add the schedule', fields,
    ...(s && { changes: (v: Values) => changed(v).map((n) => `${n.replace('_', ' ')}: ${String(was[n]) || 'none'} → ${String(v[n]) || 'none'}`) }),
    run: async (v) => {
      if (!s) return (await post('/admin/schedules', body(v)), `The schedule ${textOf(v.name)} is added.`)
      const all = { condition: '', data: {}, ...body(v) } as Record<string, unknown>
      await request('PATCH', '/admin/schedules/' + encodeURIComponent(s.name), Object.fromEntries(changed(v).map((n) => [n, all[n]])))
      return 'The schedule is changed.'
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (err) {
    throw new Error('What the job type takes is no JSON: ' + (err as Error).message)
  }
}

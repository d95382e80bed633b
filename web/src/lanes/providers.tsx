import { Link, useSearchParams } from 'wouter'
import { post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { ago, count, plural, took } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { dollars, until } from '../ui/units'

/** ProvidersTab shows the providers of models: calls in all processes, what throttles them, and the jobs that wait for them. */
export function ProvidersTab() {
  const manages = useMay()('workers', 'manage')
  const [ask, dialog] = useAct()
  const list = useRead<Schemas['ListAnswer']>('/admin/providers', { every: 10_000 })
  const check = () =>
    ask({
      title: 'Call every model that is used?', confirm: 'Call them', text: 'A small real call of each, which may cost some hundredths of a cent.',
      run: async () => {
        const done = await post<Schemas['CheckAnswer']>('/admin/providers/check')
        return (
          <Table label="Calls" rows={done.checks ?? []} keyOf={(c) => c.provider + c.model + c.purpose} empty="No model of a provider is used."
            columns={[
              { head: 'Is', cell: (c) => <span className={'status ' + (c.ok ? 'completed' : 'failed')}>{c.ok ? 'well' : 'failed'}</span> },
              { head: 'Model', cell: (c) => <>{c.model}<small className="muted">{c.provider}, {c.purpose}</small></>, kind: 'name' },
              { head: 'Took', cell: (c) => took(c.seconds), kind: 'num' },
              { head: 'Cost', cell: (c) => dollars(c.cost_usd), kind: 'num' },
              { head: 'Error', cell: (c) => c.error, kind: 'name' },
            ]} />
        )
      },
    })
  return (
    <>
      <Part title="Providers of models" query={list} aside={<span className="actions">{list.data && <span className="muted">{list.data.in_flight} of {plural(list.data.max_calls, 'call')} in flight, {list.data.waiting} waiting</span>}{manages && <button onClick={check}>Call every model…</button>}</span>}>
        {(data) => (
          <Table label="Providers" rows={data.providers ?? []} keyOf={(p) => p.name} empty="No provider is used." more="The built-in rules read and embed, for nothing."
            columns={[
              { head: 'Provider', cell: (p) => <>{p.name}<small className="muted">{[p.extraction_model, p.embedding_model, p.image_model].filter(Boolean).join(', ')}</small></>, kind: 'name' },
              { head: 'Calls', cell: (p) => `${p.in_flight} in flight, ${p.waiting} waiting`, kind: 'num' },
              { head: 'At most', cell: (p) => <>{p.limits.max_calls || 'any'} at once<small className="muted">{p.limits.requests_per_minute || 'any'} requests, {p.limits.tokens_per_minute || 'any'} tokens a minute</small></>, kind: 'num' },
              { head: 'Throttled', cell: (p) => (p.throttled_until && Date.parse(p.throttled_until) > Date.now() ? <span className="warning">until {until(p.throttled_until)}</span> : 'no') },
              { head: 'Jobs wait', cell: (p) => (p.jobs_waiting > 0 ? <Link href={`/jobs?waits_for=provider:${p.name}`}>{plural(p.jobs_waiting, 'job')}{p.jobs_overdue > 0 && `, ${p.jobs_overdue} for too long`}</Link> : 'none') },
              { head: 'Last error', cell: (p) => p.last_error && <>{p.last_error}<small className="muted">{ago(p.last_error_at)}</small></>, kind: 'name' },
            ]} />
        )}
      </Part>
      <Spending />
      {dialog}
    </>
  )
}

/** Spending shows what models have cost, of the jobs that have called one in the last days. */
function Spending() {
  const [search, setSearch] = useSearchParams()
  const days = Number(search.get('days')) || 30
  const spent = useRead<Schemas['ModelSpending']>('/admin/models/spending?days=' + days)
  return (
    <Part title="Money" query={spent} aside={spent.data && <strong>{dollars(spent.data.usd)} in {plural(spent.data.days, 'day')}</strong>}>
      {(data) => (
        <>
          <div className="filters">
            <label>
              Of jobs of the last
              <select value={days} onChange={(e) => setSearch({ days: e.target.value })}>
                {[1, 7, 30, 90, 365].map((n) => <option key={n} value={n}>{plural(n, 'day')}</option>)}
              </select>
            </label>
          </div>
          <Table label="Money" rows={data.usage ?? []} keyOf={(u) => u.model + u.purpose} empty="Nothing was spent." more="The built-in rules read and embed for nothing."
            columns={[
              { head: 'Model', cell: (u) => <>{u.model}<small className="muted">{u.purpose}</small></>, kind: 'name' },
              { head: 'Calls', cell: (u) => <>{count(u.calls)}{u.failed_calls > 0 && <small className="warning">{count(u.failed_calls)} failed</small>}</>, kind: 'num' },
              { head: 'Tokens in', cell: (u) => count(u.input_tokens), kind: 'num' },
              { head: 'Tokens out', cell: (u) => count(u.output_tokens), kind: 'num' },
              { head: 'Cost', cell: (u) => dollars(u.usd), kind: 'num' },
            ]} />
        </>
      )}
    </Part>
  )
}

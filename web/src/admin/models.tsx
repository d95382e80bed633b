import { del, post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct, type Act } from '../ui/act'
import { filled, textOf } from '../ui/field'
import { ago, took } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { dollars } from '../ui/units'
import { Profiles } from './embedding'

type InUse = Schemas['ModelsInUse']
const slots: Record<string, string> = { extraction: 'reads documents', embedding: 'embeds', vision: 'describes images' }
const providers = ['local', 'openai', 'anthropic', 'ollama', 'remote', 'extraction', 'off']

/** ModelsTab shows which models are used, how their providers are reached, what they cost, and for which there are keys. */
export default function ModelsTab() {
  const may = useMay()
  const writes = may('extraction_config', 'write')
  const [ask, dialog] = useAct()
  const models = useRead<InUse>('/admin/models')
  return (
    <>
      <Part title="Models in use" query={models}>
        {(data) => (
          <Table label="Models in use" rows={Object.entries(data.slots)} keyOf={([slot]) => slot} empty="No model is used."
            columns={[
              { head: 'What', cell: ([slot]) => <>{slot}<small className="muted">{slots[slot]}</small></> },
              { head: 'Provider', cell: ([, s]) => s.provider || 'none' },
              { head: 'Model', cell: ([, s]) => s.model || (s.provider ? 'its own' : ''), kind: 'name' },
              { head: 'Fixed by', cell: ([, s]) => [...new Set(Object.values(s.fixed ?? {}))].join(', ') },
              writes && { head: 'Try', cell: ([slot, s]) => <button onClick={() => ask(tryModel(slot, s))} aria-label={`Try a model that ${slots[slot]}`}>Try…</button> },
              writes && { head: 'Change', cell: ([slot, s]) => <button onClick={() => ask(setModel(slot, s))} aria-label={`Change what ${slots[slot]}`}>Change…</button> },
              writes && { head: 'Reset', cell: ([slot, s]) => s.config_id > 0 && <button onClick={() => ask(resetModel(slot))} aria-label={`Reset what ${slots[slot]}`}>Reset…</button> },
            ]} />
        )}
      </Part>
      <Part title="How providers are reached" query={models} aside={writes && models.data && <button onClick={() => ask(limitCalls(models.data))}>At most {models.data.max_calls} calls at once…</button>}>
        {(data) => (
          <Table label="How providers are reached" rows={Object.entries(data.providers)} keyOf={([name]) => name} empty="No provider is known."
            columns={[
              { head: 'Provider', cell: ([name]) => name },
              { head: 'Address', cell: ([, p]) => p.url, kind: 'name' },
              { head: 'Calls at once', cell: ([, p]) => p.max_calls || 'any', kind: 'num' },
              { head: 'Requests a minute', cell: ([, p]) => p.requests_per_minute || 'any', kind: 'num' },
              { head: 'Tokens a minute', cell: ([, p]) => p.tokens_per_minute || 'any', kind: 'num' },
              { head: 'Fixed by', cell: ([, p]) => [...new Set(Object.values(p.fixed ?? {}))].join(', ') },
              writes && { head: 'Change', cell: ([name, p]) => <button onClick={() => ask(setProvider(name, p))} aria-label={`Change how ${name} is reached`}>Change…</button> },
            ]} />
        )}
      </Part>
      <Part title="Prices" query={models} aside={writes && <button onClick={() => ask(setPrice())}>Set a price…</button>}>
        {(data) => (
          <Table label="Prices" rows={data.prices ?? []} keyOf={(p) => p.provider + p.model} empty="The built-in prices count." more="Set one where they are wrong."
            columns={[
              { head: 'Model', cell: (p) => <>{p.model}<small className="muted">{p.provider}</small></>, kind: 'name' },
              { head: 'In, a million tokens', cell: (p) => dollars(p.input_usd_per_million_tokens), kind: 'num' },
              { head: 'Out, a million tokens', cell: (p) => dollars(p.output_usd_per_million_tokens), kind: 'num' },
              writes && { head: 'Change', cell: (p) => <button onClick={() => ask(setPrice(p))} aria-label={`Change the price of ${p.model}`}>Change…</button> },
              writes && { head: 'Remove', cell: (p) => <button onClick={() => ask(dropPrice(p))} aria-label={`Remove the price of ${p.model}`}>Remove…</button> },
            ]} />
        )}
      </Part>
      {may('api_keys', 'read') && <ProviderKeys ask={ask} />}
      {may('embedding_config', 'read') && <Embedded ask={ask} />}
      {may('embedding_config', 'read') && <Profiles ask={ask} />}
      {dialog}
    </>
  )
}

const slotFields = (s: Schemas['SlotInUse']) => [
  { name: 'provider', label: 'Provider', required: true, value: s.provider, options: providers },
  { name: 'model', label: 'Model', value: s.model, help: 'empty: the provider’s own' },
]

const setModel = (slot: string, s: Schemas['SlotInUse']): Act => ({
  title: `Change what ${slots[slot]}`, confirm: 'Try it, and use it', text: 'The model is tried with a small real call first. Every server uses it then.',
  fields: [...slotFields(s), ...(slot === 'embedding' ? [{ name: 'reembed', label: 'embed the graph anew with it', kind: 'check' as const }] : [])],
  changes: (v) => (['provider', 'model'] as const).filter((n) => textOf(v[n]) !== (s[n] ?? '')).map((n) => `${n}: ${s[n] || 'its own'} → ${textOf(v[n]) || 'its own'}`),
  run: async (v) => {
    const set = await request<Schemas['ModelSlotAnswer']>('PUT', '/admin/models/slots/' + slot, filled(v))
    return set.body.job_id ? `It is used; the job ${set.body.job_id} embeds the graph anew.` : 'It is used from now on.'
  },
})

const tryModel = (slot: string, s: Schemas['SlotInUse']): Act => ({
  title: `Try a model that ${slots[slot]}`, confirm: 'Try it', text: 'One small real call; nothing is changed.', fields: slotFields(s),
  run: async (v) => {
    const c = await post<Schemas['ProviderCheck']>('/admin/models/try', { slot, ...filled(v) })
    if (!c.ok) throw new Error(c.error ?? 'It does not answer.')
    return `${c.model} of ${c.provider} answered in ${took(c.seconds)}, for ${dollars(c.cost_usd)}.`
  },
})

const resetModel = (slot: string): Act => ({
  title: `Reset what ${slots[slot]}?`, confirm: 'Reset', danger: true, text: 'What the settings of the servers say is used, or the default.', fields: slot === 'embedding' ? [{ name: 'reembed', label: 'embed the graph anew with it', kind: 'check' }] : [],
  run: async (v) => (await del(`/admin/models/slots/${slot}${v.reembed ? '?reembed=true' : ''}`), 'It is reset.'),
})

const limits: [name: 'max_calls' | 'requests_per_minute' | 'tokens_per_minute', label: string][] = [['max_calls', 'Calls at once'], ['requests_per_minute', 'Requests a minute'], ['tokens_per_minute', 'Tokens a minute']]

const setProvider = (name: string, p: Schemas['ProviderInUse']): Act => ({
  title: `Change how ${name} is reached`, confirm: 'Change',
  fields: [{ name: 'url', label: 'Address', value: p.url }, ...limits.map(([n, label]) => ({ name: n, label, kind: 'number' as const, min: 0, value: String(p[n]), help: '0: any number' }))],
  changes: (v) => [...(textOf(v.url) !== p.url ? [`Address: ${p.url} → ${textOf(v.url)}`] : []), ...limits.filter(([n]) => Number(v[n]) !== p[n]).map(([n, label]) => `${label}: ${p[n] || 'any'} → ${Number(v[n]) || 'any'}`)],
  run: async (v) => {
    const changed = Object.fromEntries(Object.entries(filled(v, limits.map(([n]) => n))).filter(([n, value]) => value !== p[n as 'url']))
    await request('PUT', '/admin/models/providers/' + name, changed)
    return 'Every server reaches it so from now on.'
  },
})

const limitCalls = (m: InUse): Act => ({
  title: 'Calls to all providers at once', confirm: 'Change', fields: [{ name: 'max_calls', label: 'At most', kind: 'number', min: 1, required: true, value: String(m.max_calls) }],
  changes: (v) => (Number(v.max_calls) === m.max_calls ? [] : [`At most: ${m.max_calls} → ${Number(v.max_calls)}`]),
  run: async (v) => (await request('PUT', '/admin/models/limits', { max_calls: Number(v.max_calls) }), 'It counts on every server from now on.'),
})

const setPrice = (p?: Schemas['ModelPrice']): Act => ({
  title: p ? `Change the price of ${p.model}` : 'Set a price', confirm: 'Set the price', text: 'In US dollars for a million tokens.',
  fields: [
    { name: 'provider', label: 'Provider', required: true, value: p?.provider ?? '', options: ['openai', 'anthropic', 'ollama'] },
    { name: 'model', label: 'Model', required: true, value: p?.model ?? '' },
    { name: 'input_usd_per_million_tokens', label: 'What goes in', kind: 'number', min: 0, step: 'any', required: true, value: p ? String(p.input_usd_per_million_tokens) : '' },
    { name: 'output_usd_per_million_tokens', label: 'What comes out', kind: 'number', min: 0, step: 'any', required: true, value: p ? String(p.output_usd_per_million_tokens) : '' },
  ],
  run: async (v) => (await request('PUT', '/admin/models/prices', filled(v, ['input_usd_per_million_tokens', 'output_usd_per_million_tokens'])), 'The price counts from now on.'),
})

const dropPrice = (p: Schemas['ModelPrice']): Act => ({
  title: `Remove the price of ${p.model}?`, confirm: 'Remove', danger: true, text: 'It costs what it did before.',
  run: async () => (await del(`/admin/models/prices?provider=${encodeURIComponent(p.provider)}&model=${encodeURIComponent(p.model)}`), 'The price is removed.'),
})

function ProviderKeys({ ask }: { ask: (act: Act) => void }) {
  const may = useMay()
  const keys = useRead<Schemas['KeyStatus'][]>('/admin/keys')
  const set = (provider: string): Act => ({
    title: `Key for ${provider}`, confirm: 'Try it, and store it', text: 'It is tried with a real call, stored encrypted for every server, and shown to nobody.', fields: [{ name: 'api_key', label: 'Key', kind: 'password', required: true }],
    run: async (v) => (await post('/admin/keys/' + provider, { api_key: v.api_key }), 'The key is stored.'),
  })
  const drop = (provider: string): Act => ({ title: `Delete the key for ${provider}?`, confirm: 'Delete the key', danger: true, run: async () => (await del('/admin/keys/' + provider), 'The key is deleted.') })
  const rotate: Act = { title: 'Encrypt the stored keys anew?', confirm: 'Encrypt anew', text: 'With a new key of the server: all of them, or none.', run: async () => (await post<Schemas['RotatedKeysAnswer']>('/admin/models/keys/rotate')).message }
  return (
    <Part title="Keys of providers" query={keys} aside={may('api_keys', 'write') && <button onClick={() => ask(rotate)}>Encrypt anew…</button>}>
      {(data) => (
        <Table label="Keys of providers" rows={data} keyOf={(k) => k.provider} empty="No provider takes a key."
          columns={[
            { head: 'Provider', cell: (k) => k.provider },
            { head: 'Key', cell: (k) => (k.configured ? `there, from ${k.source}` : 'none') },
            { head: 'Tried', cell: (k) => <>{k.validation_status}{k.last_validated_at && ' ' + ago(k.last_validated_at)}{k.validation_error && <small className="error">{k.validation_error}</small>}</> },
            { head: 'By', cell: (k) => k.updated_by || k.fixed_by },
            may('api_keys', 'write') && { head: 'Set', cell: (k) => !k.fixed_by && <button onClick={() => ask(set(k.provider))} aria-label={`Set the key for ${k.provider}`}>Set…</button> },
            may('api_keys', 'delete') && { head: 'Delete', cell: (k) => k.configured && !k.fixed_by && <button onClick={() => ask(drop(k.provider))} aria-label={`Delete the key for ${k.provider}`}>Delete…</button> },
          ]} />
      )}
    </Part>
  )
}

/** Embedded says how much is embedded with the model that embeds, and has the rest embedded. */
function Embedded({ ask }: { ask: (act: Act) => void }) {
  const may = useMay()
  const coverage = useRead<Schemas['CoverageAnswer']>('/admin/embedding/status')
  const again = (all: boolean): Act => ({
    title: all ? 'Embed everything anew?' : 'Embed what lacks it?', confirm: 'Embed', danger: all, text: 'Jobs do it; this answers when they have ended, which takes a while.',
    run: async () => {
      const done = await post<Schemas['EmbeddedAnewAnswer']>(`/admin/embedding/regenerate?embedding_type=all${all ? '' : '&only_missing=true'}`)
      return `${done.totals.processed_count} embedded, ${done.totals.failed_count} failed.`
    },
  })
  return (
    <Part title="Embeddings" query={coverage} aside={may('embedding_config', 'write') && <span className="actions"><button onClick={() => ask(again(false))}>Embed what lacks it…</button><button onClick={() => ask(again(true))}>Embed all anew…</button></span>}>
      {(data) => (
        <Table label="Embeddings" rows={(['concepts', 'sources', 'vocabulary', 'images'] as const).map((kind) => ({ kind, ...data[kind] }))} keyOf={(c) => c.kind} empty=""
          columns={[
            { head: 'Of', cell: (c) => c.kind },
            { head: 'There are', cell: (c) => c.total, kind: 'num' },
            { head: 'Embedded', cell: (c) => <><progress max={100} value={c.percentage} aria-label={`${c.kind} that are embedded`} /> {Math.round(c.percentage)} %</>, kind: 'num' },
            { head: 'By another model', cell: (c) => c.incompatible_embeddings, kind: 'num' },
            { head: 'Out of date', cell: (c) => c.stale_embeddings, kind: 'num' },
          ]} />
      )}
    </Part>
  )
}

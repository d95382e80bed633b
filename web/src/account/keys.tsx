import { del, post, type Schemas } from '../api/client'
import type { Act } from '../ui/act'
import { textOf } from '../ui/field'
import { ago } from '../ui/format'
import { Table } from '../ui/table'
import { until } from '../ui/units'

const day = 86_400_000 // ms

/** askKey asks for what an API key of one's own needs, and shows its text once. */
export const askKey = (ask: (act: Act) => void) =>
  ask({
    title: 'Make an API key', confirm: 'Make the key', text: 'For a program that cannot log in. The key acts for you until it expires or is deleted.',
    fields: [
      { name: 'name', label: 'What it is for', required: true },
      { name: 'scope', label: 'What it may be used for', kind: 'select', required: true, value: 'read:* write:*', options: [['read:*', 'reading'], ['read:* write:*', 'all that you may do']] },
      { name: 'days', label: 'For how many days', kind: 'number', min: 1, max: 3650, value: '90', help: 'empty: it does not expire' },
    ],
    run: async (v) => {
      const days = Number(textOf(v.days))
      const made = await post<Schemas['KeyCreated']>('/auth/keys', { name: v.name, scope: v.scope, ...(days > 0 && { expires_at: new Date(Date.now() + days * day).toISOString() }) })
      return <Secret what={`The key ${made.name}`} text={made.key} />
    },
  })

/** Secret shows what is shown this once. */
export function Secret({ what, text }: { what: string; text: string }) {
  return (
    <div className="stack" role="status">
      <p>{what}. It is shown only now:</p>
      <code className="secret">{text}</code>
      <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
        Copy
      </button>
    </div>
  )
}

/** KeyTable lists API keys: one's own, or those of everybody with whose they are. */
export function KeyTable({ keys, ask, mine }: { keys: Schemas['APIKey'][]; ask: (act: Act) => void; mine?: boolean }) {
  const revoke = (k: Schemas['APIKey']) =>
    ask({
      title: `Revoke the key ${k.name}?`, confirm: 'Revoke the key', danger: true, text: `It is void at once. ${k.last_used_at ? 'It was last used ' + ago(k.last_used_at) : 'It was never used'}.`,
      run: async () => (await del('/auth/keys/' + encodeURIComponent(k.key_id)), 'The key is void.'),
    })
  return (
    <Table label="API keys" rows={keys} keyOf={(k) => k.key_id} empty={mine ? 'You have no API key.' : 'Nobody has an API key.'} more={mine ? 'A key is for a program that cannot log in.' : undefined}
      columns={[
        { head: 'Key', cell: (k) => <>{k.name}<small className="muted">{k.key_id}…</small></>, kind: 'name' },
        !mine && { head: 'Of', cell: (k) => k.username },
        { head: 'May', cell: (k) => (k.scopes ?? []).join(' ') },
        { head: 'Made', cell: (k) => ago(k.created_at), kind: 'num' },
        { head: 'Last used', cell: (k) => (k.last_used_at ? ago(k.last_used_at) : 'never'), kind: 'num' },
        { head: 'Expires', cell: (k) => (k.expires_at ? until(k.expires_at) : 'never'), kind: 'num' },
        { head: 'Revoke', cell: (k) => <button onClick={() => revoke(k)} aria-label={`Revoke the key ${k.name}`}>Revoke…</button> },
      ]} />
  )
}

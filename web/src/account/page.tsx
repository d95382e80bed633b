import { del, request, type Schemas } from '../api/client'
import { useSigned } from '../signin/session'
import { useAct } from '../ui/act'
import { textOf } from '../ui/field'
import { ago } from '../ui/format'
import { Page, Section } from '../ui/page'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { instant, until } from '../ui/units'
import { askKey, KeyTable } from './keys'

/** AccountPage is one's own: the password, where one is signed in, and what acts for one. */
export default function AccountPage() {
  const { session, held } = useSigned()
  const [ask, dialog] = useAct()
  const sessions = useRead<Schemas['SessionList']>('/auth/sessions')
  const keys = useRead<Schemas['KeyList']>('/auth/keys')
  const clients = useRead<Schemas['ClientList']>('/auth/oauth/clients/personal')
  const changePassword = () =>
    ask({
      title: 'Change your password', confirm: 'Change the password', text: 'All else that acts for you ends: your other sessions, clients, tokens and API keys.',
      fields: [
        { name: 'current', label: 'The password that you have', kind: 'password', required: true },
        { name: 'next', label: 'The new one', kind: 'password', required: true, help: 'at least 8 characters, for administrators 10' },
        { name: 'again', label: 'The new one again', kind: 'password', required: true },
      ],
      run: async (v) => {
        if (v.next !== v.again) throw new Error('The new password is not the same in both fields.')
        await request('PUT', '/auth/me', { password: v.next, current_password: v.current })
        return 'Your password is changed.'
      },
    })
  const changeName = () =>
    ask({
      title: 'Change your name', confirm: 'Change the name', fields: [{ name: 'username', label: 'Name', required: true, value: session.user.username }],
      run: async (v) => {
        await request('PUT', '/auth/me', { username: textOf(v.username) })
        return 'Your name is changed; it is shown everywhere when you sign in again.'
      },
    })
  const end = (s: Schemas['OpenSession']) =>
    ask({
      title: `End the session of ${s.browser}?`, confirm: 'End the session', danger: true, text: s.current ? 'It is this one: you are signed out here.' : 'Whoever uses it has to sign in again.',
      run: async () => (await del('/auth/sessions/' + encodeURIComponent(s.session_id)), 'The session has ended.'),
    })
  const endClient = (c: Schemas['OAuthClient']) =>
    ask({
      title: `Delete the client ${c.client_name || c.client_id}?`, confirm: 'Delete the client', danger: true, text: 'Its tokens are void at once: the program that has it must log in again.',
      run: async () => (await del('/auth/oauth/clients/personal/' + encodeURIComponent(c.client_id)), 'The client is deleted.'),
    })
  return (
    <Page title="Account" actions={<><button onClick={changePassword}>Change password…</button><button onClick={changeName}>Change name…</button></>}>
      <p className="facts">
        {session.user.username} · {session.user.role} · account since {instant(session.user.created_at)}
      </p>
      <Part title="Sessions" query={sessions}>
        {(data) => (
          <Table label="Sessions" rows={data.sessions ?? []} keyOf={(s) => s.session_id} empty="You are signed in nowhere."
            columns={[
              { head: 'Browser', cell: (s) => <>{s.browser}{s.current && <small>this one</small>}</> },
              { head: 'Began', cell: (s) => instant(s.created_at), kind: 'num' },
              { head: 'Last used', cell: (s) => ago(s.last_used_at ?? s.created_at), kind: 'num' },
              { head: 'Ends', cell: (s) => until(s.expires_at), kind: 'num' },
              { head: 'End', cell: (s) => <button onClick={() => end(s)} aria-label={`End the session of ${s.browser}, ${instant(s.created_at)}`}>End…</button> },
            ]} />
        )}
      </Part>
      <Part title="Your API keys" query={keys} aside={<button onClick={() => askKey(ask)}>Make a key…</button>}>
        {(data) => <KeyTable keys={data.keys ?? []} ask={ask} mine />}
      </Part>
      <Part title="Clients" query={clients}>
        {(data) => (
          <Table label="Clients" rows={data.clients ?? []} keyOf={(c) => c.client_id} empty="No program is logged in for you." more="kg login makes a client."
            columns={[
              { head: 'Client', cell: (c) => <>{c.client_name}<small className="muted">{c.client_id}</small></>, kind: 'name' },
              { head: 'May', cell: (c) => (c.scopes ?? []).join(' ') },
              { head: 'Last used', cell: (c) => (c.last_used_at ? ago(c.last_used_at) : 'never'), kind: 'num' },
              { head: 'Delete', cell: (c) => <button onClick={() => endClient(c)} aria-label={`Delete the client ${c.client_name || c.client_id}`}>Delete…</button> },
            ]} />
        )}
      </Part>
      <Section title="What you may do">
        <ul className="chips" aria-label="Permissions">
          {held.filter((p) => p.granted).map((p) => (
            <li key={p.resource + p.action + p.scope_type}>
              {p.resource}:{p.action}
              {p.scope_type !== 'global' && <span className="muted"> ({p.scope_type})</span>}
            </li>
          ))}
        </ul>
      </Section>
      {dialog}
    </Page>
  )
}

import { useSearchParams } from 'wouter'
import { del, post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { textOf } from '../ui/field'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { instant } from '../ui/units'

type Group = Schemas['Group']

/** GroupsTab lists the groups; the chosen one with its members and with what it was granted. */
export function GroupsTab() {
  const may = useMay()
  const [ask, dialog] = useAct()
  const [search, setSearch] = useSearchParams()
  const open = Number(search.get('group') ?? 0)
  const groups = useRead<Schemas['GroupList']>('/groups?include_member_count=true&include_system=true')
  const create = () =>
    ask({
      title: 'New group', confirm: 'Make the group', fields: [{ name: 'group_name', label: 'Name', required: true }, { name: 'display_name', label: 'Called' }, { name: 'description', label: 'What it is for' }],
      run: async (v) => (await post('/groups', { group_name: v.group_name, ...(v.display_name && { display_name: v.display_name }), ...(v.description && { description: v.description }) }), 'The group is made.'),
    })
  const change = (g: Group) =>
    ask({
      title: `Change the group ${g.group_name}`, confirm: 'Change the group', fields: [{ name: 'display_name', label: 'Called', value: g.display_name ?? '' }, { name: 'description', label: 'What it is for', value: g.description ?? '' }],
      run: async (v) => (await request('PUT', '/groups/' + g.id, { display_name: v.display_name, description: v.description }), 'The group is changed.'),
    })
  const remove = (g: Group) =>
    ask({ title: `Delete the group ${g.group_name}?`, confirm: 'Delete the group', danger: true, text: 'What its members had of it ends at once.', run: async () => (await del('/groups/' + g.id), setSearch({}), 'The group is deleted.') })
  const own = groups.data?.groups?.some((g) => !g.is_system)
  const chosen = groups.data?.groups?.find((g) => g.id === open)
  return (
    <>
      <Part title="Groups" query={groups} aside={may('rbac', 'create') && <button className="primary" onClick={create}>New group…</button>}>
        {(data) => (
          <Table label="Groups" rows={data.groups ?? []} keyOf={(g) => g.id} empty="There is no group." more="A group is granted ontologies, artifacts and roles; its members have them."
            columns={[
              { head: 'Group', cell: (g) => <button className="link" aria-pressed={g.id === open} onClick={() => setSearch({ group: String(g.id) })}>{g.display_name || g.group_name}</button>, kind: 'name' },
              { head: 'For', cell: (g) => g.description, kind: 'name' },
              { head: 'Members', cell: (g) => g.is_system ? 'all' : (g.member_count ?? ''), kind: 'num' },
              own && may('rbac', 'write') && { head: 'Change', cell: (g) => !g.is_system && <button onClick={() => change(g)} aria-label={`Change the group ${g.group_name}`}>Change…</button> },
              own && may('rbac', 'delete') && { head: 'Delete', cell: (g) => !g.is_system && <button onClick={() => remove(g)} aria-label={`Delete the group ${g.group_name}`}>Delete…</button> },
            ]} />
        )}
      </Part>
      {chosen && <Members group={chosen} />}
      {chosen && <Granted group={chosen} />}
      {dialog}
    </>
  )
}

function Members({ group }: { group: Group }) {
  const may = useMay()
  const [ask, dialog] = useAct()
  const members = useRead<Schemas['GroupMembers']>(`/groups/${group.id}/members`)
  const users = useRead<Schemas['UserList']>('/users?limit=500', { enabled: may('users', 'read') && may('rbac', 'write') })
  const add = () =>
    ask({
      title: `Add a member to ${group.group_name}`, confirm: 'Add', fields: [{ name: 'user', label: 'Account', required: true, options: (users.data?.users ?? []).map((u) => u.username) }],
      run: async (v) => {
        const user = users.data?.users?.find((u) => u.username.toLowerCase() === textOf(v.user).trim().toLowerCase())
        if (!user) throw new Error('There is no account of this name.')
        await post(`/groups/${group.id}/members`, { user_id: user.id })
        return `${user.username} is a member.`
      },
    })
  const remove = (m: Schemas['GroupMember']) =>
    ask({ title: `Take ${m.username} out of ${group.group_name}?`, confirm: 'Take out', danger: true, text: 'What came of the group ends at once.', run: async () => (await del(`/groups/${group.id}/members/${m.user_id}`), `${m.username} is no member any more.`) })
  return (
    <Part title={`Members of ${group.display_name || group.group_name}`} query={members} aside={!group.is_system && may('rbac', 'write') && <button onClick={add}>Add a member…</button>}>
      {(data) => (
        <>
          <Table label="Members" rows={data.members ?? []} keyOf={(m) => m.user_id} empty={data.implicit_membership ? 'Everybody is a member.' : 'It has no member.'}
            columns={[
              { head: 'Name', cell: (m) => m.username, kind: 'name' },
              { head: 'Since', cell: (m) => instant(m.added_at), kind: 'num' },
              may('rbac', 'write') && { head: 'Take out', cell: (m) => <button onClick={() => remove(m)} aria-label={`Take out: ${m.username}`}>Take out…</button> },
            ]} />
          {dialog}
        </>
      )}
    </Part>
  )
}

function Granted({ group }: { group: Group }) {
  const may = useMay()
  const [ask, dialog] = useAct()
  const grants = useRead<Schemas['ResourceGrantList']>(`/groups/${group.id}/grants`)
  const add = () =>
    ask({
      title: `Grant ${group.group_name} something`, confirm: 'Grant it',
      fields: [
        { name: 'resource_type', label: 'What', kind: 'select', required: true, value: 'ontology', options: [['ontology', 'an ontology'], ['artifact', 'a kept result'], ['role', 'a role']] },
        { name: 'resource_id', label: 'Its name or number', required: true },
        { name: 'permission', label: 'To', kind: 'select', required: true, value: 'read', options: [['read', 'read it'], ['write', 'change it too'], ['admin', 'delete it too']], help: 'of a role: read gives it to the members' },
      ],
      run: async (v) => (await post('/grants', { principal_type: 'group', principal_id: group.id, resource_type: v.resource_type, resource_id: v.resource_id, permission: v.permission }), 'It is granted.'),
    })
  const take = (g: Schemas['ResourceGrant']) => ask({ title: `Take ${g.resource_name || g.resource_id} back?`, confirm: 'Take it back', danger: true, run: async () => (await del('/grants/' + g.id), 'It is taken back.') })
  return (
    <Part title="What it is granted" query={grants} aside={may('rbac', 'write') && <button onClick={add}>Grant…</button>}>
      {(data) => (
        <>
          <Table label="What it is granted" rows={data.grants ?? []} keyOf={(g) => g.id} empty="Nothing."
            columns={[
              { head: 'What', cell: (g) => `${g.resource_type} ${g.resource_name || g.resource_id}`, kind: 'name' },
              { head: 'To', cell: (g) => g.permission },
              { head: 'By', cell: (g) => g.granted_by_name },
              { head: 'Since', cell: (g) => instant(g.granted_at), kind: 'num' },
              may('rbac', 'write') && { head: 'Take back', cell: (g) => <button onClick={() => take(g)} aria-label={`Take back: ${g.resource_name || g.resource_id}`}>Take back…</button> },
            ]} />
          {dialog}
        </>
      )}
    </Part>
  )
}

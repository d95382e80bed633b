package postgres_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres"
)

// reaches reports whether a user may read an ontology beyond what the role of the account says,
// and raises if nobody reads the policy anew.
func reaches(t *testing.T, s *postgres.DB, user access.User, ontology int) bool {
	t.Helper()
	policy, _, err := s.Roles().Policy(t.Context())
	must(t, err)
	_, rows := policy.Rights(user, time.Now())
	return rows[access.OntologiesRead].Has(access.Row{ID: strconv.Itoa(ontology)})
}

// TestGroupsEnd ends what a group gives: by its member, its group, its ontology, its grant and
// its account. Nothing is left of what went, and every change raises the access epoch.
func TestGroupsEnd(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	register(t, s, workerA)
	ctx := access.WithActor(t.Context(), access.Actor{UserID: access.SystemUserID, Username: "admin"})
	epoch := func() int64 {
		_, epoch, err := s.Roles().Policy(ctx)
		must(t, err)
		return epoch
	}
	for name, end := range map[string]func(group, user, ontology, grant int) error{
		"member": func(group, user, _, _ int) error { return s.Groups().RemoveMember(ctx, group, user) },
		"group":  func(group, _, _, _ int) error { return s.Groups().DeleteGroup(ctx, group) },
		"grant": func(_, _, _, grant int) error {
			return s.Groups().RemoveResourceGrant(ctx, access.ResourceGrant{ID: grant})
		},
		"ontology": func(_, _, ontology, _ int) error {
			_, err := conn.Exec(ctx, "DELETE FROM kg_api.ontologies WHERE id = $1", ontology)
			return err
		},
		"account": func(_, user, _, _ int) error {
			return s.Accounts().DeleteUser(ctx, user, func(access.User) error { return nil })
		},
	} {
		user, err := s.Accounts().CreateUser(ctx, access.NewUser{Username: "of-" + name, Password: "a long password", Role: access.RoleReadOnly}, "x")
		must(t, err)
		user.Role = "guest" // which there is not: it grants nothing
		var ontology int
		must(t, conn.QueryRow(ctx, "INSERT INTO kg_api.ontologies (name) VALUES ($1) RETURNING id", name).Scan(&ontology))
		group, err := s.Groups().CreateGroup(ctx, access.NewGroup{Name: name})
		must(t, err)
		grant, err := s.Groups().AddResourceGrant(ctx, access.NewResourceGrant{ResourceType: access.GrantOntology, ResourceID: name, PrincipalType: access.PrincipalGroup, PrincipalID: group.ID, Permission: access.AccessRead})
		must(t, err)
		if reaches(t, s, user, ontology) {
			t.Errorf("%s: who is no member reaches it", name)
		}
		was := epoch()
		_, err = s.Groups().AddMember(ctx, group.ID, user.ID)
		must(t, err)
		if !reaches(t, s, user, ontology) || epoch() == was {
			t.Errorf("%s: a member does not reach it, or the epoch is the same", name)
		}
		if _, err := s.Groups().AddMember(ctx, group.ID, user.ID); kappa.ErrorCode(err) != kappa.CodeConflict {
			t.Errorf("%s: a member again: %v", name, err)
		}
		was = epoch()
		must(t, end(group.ID, user.ID, ontology, grant.ID))
		if reaches(t, s, user, ontology) || epoch() == was {
			t.Errorf("%s: it has gone, and is reached, or the epoch is the same", name)
		}
	}
	if left := lines(t, conn, `SELECT 'member' || m::text FROM kg_api.group_members m WHERE NOT EXISTS (SELECT FROM kg_api.users u WHERE u.id = m.user_id)
		UNION ALL SELECT 'grant' || g::text FROM kg_api.resource_grants g WHERE g.group_id IS NULL OR g.ontology_id IS NULL`); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	acts := lines(t, conn, "SELECT DISTINCT action FROM kg_api.audit_log WHERE object IN ('group', 'share') ORDER BY action")
	if want := 6; len(acts) != want {
		t.Errorf("recorded are %v, want %d kinds of acts", acts, want)
	}
}

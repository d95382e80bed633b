package e2e

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// TestGroupsCountFromTheNextRequest changes groups at one server and asks at both at once,
// without waiting: what a group gives counts from the next request on, ends with it, and ends
// streams that are open.
func TestGroupsCountFromTheNextRequest(t *testing.T) {
	t.Parallel()
	one := startServer(t, nil)
	two := startServer(t, map[string]string{"DATABASE_URL": one.dsn})
	ctx, admin := t.Context(), one.client
	for _, name := range []string{"seer", "nothing"} {
		_, err := admin.Roles.Create(ctx, access.NewRole{Name: name, DisplayName: name})
		check(t, err)
	}
	_, err := admin.Roles.Grant(ctx, access.NewRoleGrant{Role: "seer", Resource: "jobs", Action: "read"})
	check(t, err)
	job, err := admin.Jobs.Submit(ctx, work.NewJob{Type: "sleep", Data: []byte(`{"ms": 600000, "steps": 600}`), AutoApprove: true})
	check(t, err)
	ada := newPerson(t, "ada", "nothing", one, two)
	see := func(c *client.Client) error { _, err := c.Jobs.Get(ctx, job.JobID); return err }
	share := func(group int, permission access.NewResourceGrant) access.ResourceGrant {
		permission.PrincipalType, permission.PrincipalID = access.PrincipalGroup, group
		grant, err := admin.Groups.Share(ctx, permission)
		check(t, err)
		return grant
	}

	group, err := admin.Groups.Create(ctx, access.NewGroup{Name: "seers"})
	check(t, err)
	grant := share(group.ID, access.NewResourceGrant{ResourceType: access.GrantRole, ResourceID: "seer", Permission: access.AccessRead})
	wantEverywhere(t, "no member", kappa.CodeForbidden, ada.at, see)
	join := func() { _, err := admin.Groups.AddMember(ctx, group.ID, ada.user.ID); check(t, err) }
	join()
	wantEverywhere(t, "a member", "", ada.at, see)
	ends := openStream(t, two.url+"/jobs/"+job.JobID+"/stream", tokenOf(t, two.url, person{at: ada.at[1:]}))
	check(t, admin.Groups.RemoveMember(ctx, group.ID, ada.user.ID))
	wantEverywhere(t, "taken out", kappa.CodeForbidden, ada.at, see)
	select {
	case <-ends:
	case <-time.After(time.Minute):
		t.Error("the stream at the other server goes on")
	}
	join()
	wantEverywhere(t, "a member again", "", ada.at, see)
	check(t, admin.Groups.Unshare(ctx, grant.ID))
	wantEverywhere(t, "a grant that was taken away", kappa.CodeForbidden, ada.at, see)
	share(group.ID, access.NewResourceGrant{ResourceType: access.GrantRole, ResourceID: "seer", Permission: access.AccessRead})
	wantEverywhere(t, "granted again", "", ada.at, see)
	if err := admin.Roles.Delete(ctx, "seer"); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("a role that a group has was deleted: %v", err)
	}
	check(t, admin.Groups.Delete(ctx, group.ID))
	wantEverywhere(t, "a group that was deleted", kappa.CodeForbidden, ada.at, see)
	check(t, admin.Roles.Delete(ctx, "seer"))

	t.Run("nobody gives more than they may", func(t *testing.T) {
		bea := newPerson(t, "bea", access.RoleContributor, one)
		refused(t, "make a group", kappa.CodeForbidden)(bea.at[0].Groups.Create(ctx, access.NewGroup{Name: "mine"}))
		refused(t, "share an ontology", kappa.CodeForbidden)(bea.at[0].Groups.Share(ctx, access.NewResourceGrant{ResourceType: access.GrantOntology, ResourceID: "x", PrincipalType: access.PrincipalUser, PrincipalID: ada.user.ID, Permission: access.AccessRead}))
		refused(t, "change public", kappa.CodeForbidden)(admin.Groups.AddMember(ctx, access.PublicGroup, ada.user.ID))
		refused(t, "make administrators of everybody", kappa.CodeForbidden)(admin.Groups.Share(ctx, access.NewResourceGrant{ResourceType: access.GrantRole, ResourceID: access.RoleAdmin, PrincipalType: access.PrincipalGroup, PrincipalID: access.PublicGroup, Permission: access.AccessRead}))
	})
}

// openStream opens an event stream, and returns what closes when it ends.
func openStream(t *testing.T, url, bearer string) <-chan struct{} {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+bearer)
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the stream is answered %s", resp.Status)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
	}()
	return ended
}

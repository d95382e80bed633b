package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/kappagraph/kappa/access"
)

// belonging is what somebody has, by the name of the placeholder in a path below which it
// is found.
type belonging struct {
	below string // the path before the placeholder
	id    string
	text  string // which only its owner may be shown
}

// attackObjects has one contributor try every route with what another one has. An answer
// tells nothing of it, and does not differ from that about something that is not there.
func attackObjects(ctx context.Context, t *target, out *tally) error {
	owner := t.accounts[1]
	user, err := t.admin.client.Users.Create(ctx, access.NewUser{Username: "mallory", Password: password, Role: access.RoleContributor})
	if err != nil {
		return err
	}
	thief, err := t.logIn(ctx, user.Username, access.RoleContributor)
	if err != nil {
		return err
	}
	all, err := t.belongings(ctx, owner)
	if err != nil {
		return err
	}
	routes, err := t.routes(ctx)
	if err != nil {
		return err
	}
	for _, r := range routes {
		for _, b := range all {
			rest, found := strings.CutPrefix(r.path, b.below+"{")
			if !found {
				continue
			}
			_, rest, _ = strings.Cut(rest, "}")
			path := b.below + b.id + placeholder.ReplaceAllString(rest, "1")
			t.steal(ctx, out, thief, r.method, path, b)
		}
	}
	return t.keptWhole(ctx, out, owner, all)
}

// belongings makes what an account can have.
func (t *target) belongings(ctx context.Context, owner account) ([]belonging, error) {
	const mark = "zanzibar-7719"
	job, err := t.post(ctx, owner.token, "/jobs", `{"job_type":"sleep","data":{"ms":600000,"steps":1,"note":"`+mark+`"},"auto_approve":false}`, "job_id")
	if err != nil {
		return nil, err
	}
	artifact, err := t.post(ctx, owner.token, "/artifacts", `{"artifact_type":"report","representation":"cli","name":"`+mark+`","payload":{"a":"`+mark+`"},"parameters":{}}`, "id")
	if err != nil {
		return nil, err
	}
	clients, err := owner.client.Account.OAuthClients(ctx)
	if err != nil || len(clients) == 0 {
		return nil, fmt.Errorf("the clients of an account: %w, %d", err, len(clients))
	}
	key, _, err := owner.client.Account.NewAPIKey(ctx, access.NewAPIKey{Name: mark})
	if err != nil {
		return nil, err
	}
	return []belonging{
		{"/jobs/", job, mark},
		{"/artifacts/", artifact, mark},
		{"/auth/oauth/clients/", clients[0].ClientID, "attack"},
		{"/auth/oauth/clients/personal/", clients[0].ClientID, "attack"},
		{"/auth/api-keys/", fmt.Sprint(key.ID), mark},
		{"/users/", fmt.Sprint(owner.ID), owner.Username},
	}, nil
}

// post makes something, and returns a member of the answer as text.
func (t *target) post(ctx context.Context, token, path, body, member string) (string, error) {
	a, err := t.json(ctx, "POST", path, token, body)
	if err != nil {
		return "", err
	}
	var members map[string]any
	if a.status >= 300 || json.Unmarshal([]byte(a.body), &members) != nil || members[member] == nil {
		return "", fmt.Errorf("POST %s: %d %s", path, a.status, a.body)
	}
	if n, ok := members[member].(float64); ok {
		return fmt.Sprint(int64(n)), nil
	}
	return fmt.Sprint(members[member]), nil
}

var varying = regexp.MustCompile(`"(request_id|instance)":"[^"]*"`)

// steal tries a route with what is somebody else's, and with what is nobody's.
func (t *target) steal(ctx context.Context, out *tally, thief account, method, path string, b belonging) {
	nobody := map[bool]string{true: "job_0123456789ab", false: "99999999"}[strings.HasPrefix(b.id, "job_")]
	for _, token := range []string{thief.token, thief.read, thief.key} {
		out.try()
		r := request{method: method, path: path, token: token, contentType: "application/json", body: "{}"}
		a, err := t.send(ctx, r)
		if err != nil {
			out.hole("%s %s: %v", method, path, err)
			continue
		}
		if a.status < 400 && a.body != "" || a.status >= 500 || strings.Contains(a.body, b.text) {
			out.hole("%s %s of somebody else: %d %s", method, path, a.status, a.body)
		}
		r.path = strings.Replace(path, b.id, nobody, 1)
		other, err := t.send(ctx, r)
		if err != nil {
			out.hole("%s %s: %v", method, r.path, err)
			continue
		}
		mine := varying.ReplaceAllString(strings.ReplaceAll(a.body, b.id, "ID"), "")
		if theirs := varying.ReplaceAllString(strings.ReplaceAll(other.body, nobody, "ID"), ""); a.status != other.status || mine != theirs {
			out.hole("%s %s tells what is there: %d %s; about nothing %d %s", method, path, a.status, mine, other.status, theirs)
		}
	}
}

// keptWhole wants the owner to have everything still.
func (t *target) keptWhole(ctx context.Context, out *tally, owner account, all []belonging) error {
	for _, b := range all[:2] {
		out.try()
		a, err := t.send(ctx, request{method: "GET", path: b.below + b.id, token: owner.token})
		if err != nil {
			return err
		}
		if a.status != 200 || b.below == "/artifacts/" && !strings.Contains(a.body, b.text) || strings.Contains(a.body, `"cancelled"`) {
			out.hole("%s%s is not as it was: %d %s", b.below, b.id, a.status, a.body)
		}
	}
	_, err := t.send(ctx, request{method: "DELETE", path: "/jobs/" + all[0].id, token: owner.token})
	return err
}

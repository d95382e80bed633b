package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
)

const (
	password  = "correct horse battery staple 9"
	readyTime = 60 * time.Second
	stopTime  = 30 * time.Second
	// patience is how long a request may take that attacks.
	patience = 20 * time.Second
	// prompt is how long an honest request may take beside an attack.
	prompt = 5 * time.Second
)

// target is the server that is attacked.
type target struct {
	url      string
	dir      string
	cmd      *exec.Cmd
	exited   chan struct{}
	http     *http.Client
	admin    account
	accounts []account // one of each built-in role, the weakest first
}

// start runs a server with settings until it is ready, and makes the accounts.
func start(ctx context.Context, kg, dir string, settings ...string) (*target, error) {
	t := &target{dir: dir, exited: make(chan struct{}), http: &http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()                 //nolint:errcheck // the process has its own
	t.cmd = exec.Command(kg, "serve") //nolint:noctx // it is stopped below
	t.cmd.Stderr = log
	t.cmd.Env = append(environment(), "KG_ADDR=127.0.0.1:0", "KG_DATA_DIR="+filepath.Join(dir, "data"), "KG_ADMIN_PASSWORD="+password, "KG_TEST_TYPES=1", "KG_WORKER_SECRET="+workerSecret)
	t.cmd.Env = append(t.cmd.Env, settings...)
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	ready := make(chan string, 1)
	go func() {
		defer close(t.exited)
		defer close(ready)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if url, ok := strings.CutPrefix(lines.Text(), "kg: serving on "); ok {
				ready <- url
			}
		}
		_ = t.cmd.Wait() // how it ended does not matter
	}()
	select {
	case url, ok := <-ready:
		if !ok {
			return nil, fmt.Errorf("the server ended before it was ready: %s", t.logEnd())
		}
		t.url = url
	case <-time.After(readyTime):
		t.stop()
		return nil, errors.New("the server was not ready in time")
	}
	if err := t.makeAccounts(ctx); err != nil {
		t.stop()
		return nil, err
	}
	return t, nil
}

// environment is ours without what would change a server.
func environment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "KG_") && !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "DATABASE_URL=") {
			env = append(env, v)
		}
	}
	return env
}

// stop ends the server as an operator would.
func (t *target) stop() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-t.exited:
	case <-time.After(stopTime):
		_ = t.cmd.Process.Kill()
		<-t.exited
	}
}

// logEnd is the end of the server's log.
func (t *target) logEnd() string {
	text, _ := os.ReadFile(filepath.Join(t.dir, "server.log"))
	return string(text[max(0, len(text)-2000):])
}

// alive returns an error unless the server answers an honest request in time.
func (t *target) alive(ctx context.Context) error {
	select {
	case <-t.exited:
		return fmt.Errorf("it has ended: %s", t.logEnd())
	default:
	}
	began := time.Now()
	a, err := t.send(ctx, request{method: "GET", path: "/jobs?limit=1", token: t.admin.token})
	switch {
	case err != nil:
		return err
	case a.status != 200:
		return fmt.Errorf("it answered %d: %s", a.status, cut(a.body, 200))
	case time.Since(began) > prompt:
		return fmt.Errorf("it answered after %v", time.Since(began))
	}
	return nil
}

// request is what is sent.
type request struct {
	method, path, token, contentType string
	body                             string
	header                           map[string]string
}

// answer is what came back.
type answer struct {
	status int
	body   string
	header http.Header
}

// send sends a request as it stands, and reads up to 1 MiB of the answer.
func (t *target) send(ctx context.Context, r request) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, t.url+r.path, bytes.NewReader([]byte(r.body)))
	if err != nil {
		return answer{}, err
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	for name, value := range r.header {
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	resp, err := t.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return answer{resp.StatusCode, string(body), resp.Header}, err
}

// json sends an object of JSON.
func (t *target) json(ctx context.Context, method, path, token, body string) (answer, error) {
	return t.send(ctx, request{method: method, path: path, token: token, contentType: "application/json", body: body})
}

// account is somebody with credentials of every kind.
type account struct {
	access.User

	role   string
	client *client.Client
	token  string // of full scope
	read   string // of the scope read:*
	key    string // an API key
}

// makeAccounts makes an account of each built-in role.
func (t *target) makeAccounts(ctx context.Context) (err error) {
	if t.admin, err = t.logIn(ctx, "admin", access.RolePlatformAdmin); err != nil {
		return err
	}
	for _, role := range access.BuiltinRoles() {
		user, err := t.admin.client.Users.Create(ctx, access.NewUser{Username: "the_" + role, Password: password, Role: role})
		if err != nil {
			return fmt.Errorf("make the account of a %s: %w", role, err)
		}
		a, err := t.logIn(ctx, user.Username, role)
		if err != nil {
			return err
		}
		t.accounts = append(t.accounts, a)
	}
	return nil
}

// logIn logs an account in, and gets credentials of every kind.
func (t *target) logIn(ctx context.Context, name, role string) (account, error) {
	anonymous, err := client.New(client.Config{BaseURL: t.url})
	if err != nil {
		return account{}, err
	}
	made, err := anonymous.Login(ctx, name, password, "attack")
	if err != nil {
		return account{}, fmt.Errorf("log %s in: %w", name, err)
	}
	a := account{role: role}
	if a.client, err = client.New(client.Config{BaseURL: t.url, ClientID: made.ClientID, ClientSecret: made.Secret}); err != nil {
		return a, err
	}
	if a.User, err = a.client.Account.Get(ctx); err != nil {
		return a, err
	}
	form := "grant_type=client_credentials&client_id=" + made.ClientID + "&client_secret=" + made.Secret
	if a.token, err = t.fetchToken(ctx, form); err != nil {
		return a, err
	}
	if a.read, err = t.fetchToken(ctx, form+"&scope=read:*"); err != nil {
		return a, err
	}
	_, a.key, err = a.client.Account.NewAPIKey(ctx, access.NewAPIKey{Name: "attack"})
	return a, err
}

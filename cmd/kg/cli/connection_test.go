package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/local"
)

func TestWhichServer(t *testing.T) {
	for _, tt := range []struct {
		name           string
		flag, env      string
		file           config
		local          string // what the server of this machine wrote
		url, clientID  string
		elsewhere      string
		clientFromEnvs bool
	}{
		{name: "the server of this machine", local: "http://127.0.0.1:9001", url: "http://127.0.0.1:9001"},
		{name: "the configuration is above it", local: "http://127.0.0.1:9001", file: config{APIURL: "https://a.example/"}, url: "https://a.example"},
		{name: "the environment is above that", env: "https://b.example", file: config{APIURL: "https://a.example"}, url: "https://b.example"},
		{name: "the flag is above all", flag: "https://c.example/api/", env: "https://b.example", url: "https://c.example/api"},
		{
			name: "credentials go to their server", file: config{APIURL: "https://a.example/", ClientID: "id", ClientSecret: "s"}, flag: "https://a.example",
			url: "https://a.example", clientID: "id",
		},
		{
			name: "and to no other", file: config{APIURL: "https://a.example", ClientID: "id", ClientSecret: "s"}, flag: "https://evil.example",
			url: "https://evil.example", elsewhere: "https://a.example",
		},
		{
			name: "those of this machine's server follow it to another port", local: "http://127.0.0.1:9002", file: config{ClientID: "id", ClientSecret: "s"},
			url: "http://127.0.0.1:9002", clientID: "id",
		},
		{
			name: "but not to another machine", local: "http://127.0.0.1:9002", file: config{ClientID: "id", ClientSecret: "s"}, env: "https://b.example",
			url: "https://b.example", elsewhere: "http://127.0.0.1:9002",
		},
		{name: "credentials of the environment", env: "https://b.example", clientFromEnvs: true, url: "https://b.example", clientID: "robot"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			env := map[string]string{"HOME": home, "KG_API_URL": tt.env}
			if tt.clientFromEnvs {
				env["KG_CLIENT_ID"], env["KG_CLIENT_SECRET"] = "robot", "x"
			}
			a := New(Config{Env: func(name string) (string, bool) { return env[name], env[name] != "" }})
			a.apiURL = tt.flag
			if err := a.writeConfig(tt.file); err != nil {
				t.Fatal(err)
			}
			if tt.local != "" {
				if err := local.NewServer(tt.local).Write(filepath.Join(home, ".local", "share", "kg")); err != nil {
					t.Fatal(err)
				}
			}
			got, err := a.connection()
			if err != nil || got.url != tt.url || got.clientID != tt.clientID || got.elsewhere != tt.elsewhere {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// thief listens at an address that it should not have, and keeps what it is sent.
type thief struct {
	address string

	mu   sync.Mutex
	sent strings.Builder
}

func newThief(t *testing.T) *thief {
	t.Helper()
	th := &thief{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		th.mu.Lock()
		defer th.mu.Unlock()
		fmt.Fprintln(&th.sent, r.Method, r.URL, r.Header, string(body))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"service":"Kappa","proof":"0123","access_token":"t","expires_in":3600}`)
	}))
	t.Cleanup(server.Close)
	th.address = server.URL
	return th
}

// want checks that the thief was sent nothing that it may not have.
func (th *thief) want(t *testing.T, secret string) {
	t.Helper()
	th.mu.Lock()
	defer th.mu.Unlock()
	if strings.Contains(th.sent.String(), secret) {
		t.Errorf("the secret was sent to a stranger:\n%s", th.sent.String())
	}
}

// TestNoSecretForAStranger has a stranger listen where the server of this machine
// did, while that is down: it is sent neither a client's secret nor a password.
func TestNoSecretForAStranger(t *testing.T) {
	for name, announce := range map[string]func(t *testing.T, dir, address string){
		"the server was killed and left its file": func(t *testing.T, dir, address string) {
			if err := local.NewServer(address).Write(dir); err != nil {
				t.Fatal(err)
			}
		},
		"a file that others can read": func(t *testing.T, dir, address string) {
			writeFile(t, filepath.Join(dir, "url"), address+"\nkey\n")
			if err := os.Chmod(filepath.Join(dir, "url"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"a file without a key, as older versions wrote it": func(t *testing.T, dir, address string) {
			writeFile(t, filepath.Join(dir, "url"), address+"\n")
		},
		"a link to a file of the stranger": func(t *testing.T, dir, address string) {
			writeFile(t, filepath.Join(dir, "other"), address+"\nkey\n")
			if err := os.Symlink("other", filepath.Join(dir, "url")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			th, c := newThief(t), newConsole(t)
			announce(t, filepath.Join(c.env["HOME"], ".local", "share", "kg"), th.address)
			writeFile(t, filepath.Join(c.env["HOME"], ".config", "kg", "config.json"), `{"client_id":"id","client_secret":"canary"}`)
			if c.run(t.Context(), "jobs", "list"); c.code == exit.OK {
				t.Errorf("it succeeded: %q", c.out)
			}
			th.want(t, "canary")
			c.in = "canary\n"
			if c.run(t.Context(), "login", "--password-stdin"); c.code == exit.OK {
				t.Errorf("the login succeeded: %q", c.out)
			}
			th.want(t, "canary")
			c.run(t.Context(), "logout")
			th.want(t, "canary")
		})
	}
}

// TestNoServerOfThisMachine runs commands while no server has written its address: none is
// asked at an address that anybody may have.
func TestNoServerOfThisMachine(t *testing.T) {
	c := newConsole(t)
	writeFile(t, filepath.Join(c.env["HOME"], ".config", "kg", "config.json"), `{"client_id":"id","client_secret":"canary"}`)
	if c.run(t.Context(), "jobs", "list"); c.code != exit.Unreachable || !strings.Contains(c.err, "no server runs on this machine") || !strings.Contains(c.err, "KG_API_URL") {
		t.Errorf("code %d, stderr %q", c.code, c.err)
	}
	if c.run(t.Context(), "doctor"); c.code != exit.Failed || !strings.Contains(c.out, "no server runs on this machine") {
		t.Errorf("doctor: code %d, stdout %q", c.code, c.out)
	}
}

// TestServerOfThisMachine has the server prove itself, also after a restart with
// another key.
func TestServerOfThisMachine(t *testing.T) {
	f, c := loginAPI(t, ""), newConsole(t)
	dir := filepath.Join(c.env["HOME"], ".local", "share", "kg")
	server := local.NewServer(f.url)
	f.HandleFunc("GET /.well-known/kappa-server", func(w http.ResponseWriter, r *http.Request) {
		f.json(w, `{"proof":"`+server.Proof(r.FormValue("nonce"))+`"}`)
	})
	for range 2 {
		if err := server.Write(dir); err != nil {
			t.Fatal(err)
		}
		c.in = "pass word\n"
		if c.run(t.Context(), "login", "--password-stdin"); c.code != exit.OK {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
		if c.run(t.Context(), "logout"); c.code != exit.OK || c.err != "Logged out.\n" {
			t.Errorf("logout: code %d, stderr %q", c.code, c.err)
		}
		server = local.NewServer(f.url)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// loginAPI is a server that makes the client "id".
func loginAPI(t *testing.T, prefix string) *fakeAPI {
	f := newFakeAPI(t)
	f.answer("GET "+prefix+"/{$}", `{"service":"Kappa","version":"v1"}`)
	f.HandleFunc("POST "+prefix+"/auth/oauth/clients/personal", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("username") != "admin" || r.FormValue("password") != "pass word" {
			f.problem(w, http.StatusUnauthorized, "Invalid username or password")
			return
		}
		f.json(w, `{"client_id":"id","client_secret":"secret","client_name":"kg CLI (admin)","scopes":["read:*"],"created_at":"2026-01-31T08:00:00Z"}`)
	})
	f.HandleFunc("DELETE "+prefix+"/auth/oauth/clients/personal/id", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			f.problem(w, http.StatusUnauthorized, "Not authenticated")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return f
}

func TestLoginAndLogout(t *testing.T) {
	f := loginAPI(t, "")
	c := newConsole(t)
	path := filepath.Join(c.env["HOME"], ".config", "kg", "config.json")

	c.in = "wrong\n"
	if c.run(t.Context(), "login", "-u", "admin", "--password-stdin", "--api-url", f.url); c.code != exit.NotAllowed || !strings.Contains(c.err, "Invalid username or password") {
		t.Fatalf("wrong password: code %d, stderr %q", c.code, c.err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("a refused login wrote the configuration")
	}

	c.in = "pass word\n"
	if c.run(t.Context(), "login", "-u", "admin", "--password-stdin", "--api-url", f.url); c.code != exit.OK || strings.Contains(c.err, "warning") {
		t.Fatalf("login: code %d, stderr %q", c.code, c.err)
	}
	stat, err := os.Stat(path)
	if err != nil || stat.Mode().Perm() != 0o600 {
		t.Fatalf("the configuration: %v, %v", stat, err)
	}
	var kept config
	body, _ := os.ReadFile(path)
	if err := json.Unmarshal(body, &kept); err != nil || kept != (config{APIURL: f.url, ClientID: "id", ClientSecret: "secret", Username: "admin"}) {
		t.Errorf("kept %+v, %v", kept, err)
	}
	if strings.Contains(string(body), "pass word") {
		t.Error("the configuration holds the password")
	}

	if c.run(t.Context(), "logout"); c.code != exit.OK || c.err != "Logged out.\n" {
		t.Errorf("logout: code %d, stderr %q", c.code, c.err)
	}
	if last := f.requests[len(f.requests)-1]; last != "DELETE /auth/oauth/clients/personal/id" {
		t.Errorf("the logout ended with %s", last)
	}
	if body, _ := os.ReadFile(path); strings.TrimSpace(string(body)) != "{}" {
		t.Errorf("the configuration still holds %s", body)
	}
	if c.run(t.Context(), "logout"); c.code != exit.OK || c.err != "Not logged in.\n" {
		t.Errorf("second logout: code %d, stderr %q", c.code, c.err)
	}
}

func TestLoginBelowAPI(t *testing.T) {
	f := loginAPI(t, "/api")
	c := newConsole(t)
	c.in = "pass word"
	c.run(t.Context(), "login", "--password-stdin", "--api-url", f.url)
	a := New(Config{Env: func(name string) (string, bool) { return c.env[name], true }})
	if kept, err := a.readConfig(); err != nil || kept.APIURL != f.url+"/api" {
		t.Errorf("kept %+v, %v after %q", kept, err, c.err)
	}
}

func TestLogoutWithoutTheServer(t *testing.T) {
	f := loginAPI(t, "")
	c := newConsole(t)
	c.in = "pass word\n"
	c.run(t.Context(), "login", "--password-stdin", "--api-url", f.url)
	var kept config
	path := filepath.Join(c.env["HOME"], ".config", "kg", "config.json")
	body, _ := os.ReadFile(path)
	_ = json.Unmarshal(body, &kept)
	kept.APIURL = "http://127.0.0.1:1"
	body, _ = json.Marshal(kept)
	writeFile(t, path, string(body))
	if c.run(t.Context(), "logout"); c.code != exit.OK || !strings.HasPrefix(c.err, "warning: the server still knows the client id: ") || !strings.HasSuffix(c.err, "Logged out.\n") {
		t.Errorf("code %d, stderr %q", c.code, c.err)
	}
}

func TestSentInTheClear(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:8000": false, "http://localhost": false, "http://[::1]:80": false, "https://a.example": false, "http://a.example": true, "http://10.0.0.1:8000": true,
	} {
		if got := sentInTheClear(address); got != want {
			t.Errorf("%s: %t, want %t", address, got, want)
		}
	}
}

func TestBrokenConfiguration(t *testing.T) {
	c := newConsole(t)
	path := filepath.Join(c.env["HOME"], ".config", "kg", "config.json")
	writeFile(t, path, "{")
	if c.run(t.Context(), "health"); c.code != exit.Failed || !strings.Contains(c.err, path) {
		t.Errorf("code %d, stderr %q", c.code, c.err)
	}
}

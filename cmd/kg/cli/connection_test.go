package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
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
		{name: "nothing is set", url: "http://127.0.0.1:8000"},
		{name: "the server of this machine", local: "http://127.0.0.1:9001\n", url: "http://127.0.0.1:9001"},
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
				writeFile(t, filepath.Join(home, ".local", "share", "kg", "url"), tt.local)
			}
			got, err := a.connection()
			if err != nil || got.url != tt.url || got.clientID != tt.clientID || got.elsewhere != tt.elsewhere {
				t.Errorf("got %+v, %v", got, err)
			}
		})
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

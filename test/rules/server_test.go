package rules

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const password = "correct horse battery"

// server is a real one, with models behind an API that is away.
type server struct {
	t          *testing.T
	url, token string
}

// scrapes returns what a server shows before and after it has done something.
func scrapes(t *testing.T) (first, second []byte) {
	t.Helper()
	s := startServer(t)
	s.work()
	first = s.get("/metrics")
	s.work()
	if strings.Contains(string(s.get("/jobs?status=failed")), `"job_id"`) {
		t.Error("a job has failed")
	}
	return first, s.get("/metrics")
}

// startServer builds kg, and runs it until the test ends.
func startServer(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "../..", "-trimpath", "-ldflags", "-s -w", "-tags", "nomsgpack", "-o", program, "./cmd/kg")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	process := exec.Command(program, "serve")
	process.Env = append(os.Environ(), "KG_DATA_DIR="+filepath.Join(dir, "data"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "KG_ADDR=127.0.0.1:0", "KG_ADMIN_PASSWORD="+password,
		"KG_TEST_TYPES=1", "KG_EXTRACTOR=openai", "KG_OPENAI_BASE_URL=http://127.0.0.1:9/v1", "OPENAI_API_KEY=sk-nobody")
	out, err := process.StdoutPipe()
	check(t, err)
	log := &strings.Builder{}
	process.Stderr = log
	check(t, process.Start())
	t.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		_ = process.Wait()
		if t.Failed() {
			t.Log(log)
		}
	})
	s := &server{t: t}
	for lines := bufio.NewScanner(out); s.url == "" && lines.Scan(); {
		s.url, _ = strings.CutPrefix(lines.Text(), "kg: serving on ")
		if !strings.HasPrefix(s.url, "http") {
			s.url = ""
		}
	}
	if s.url == "" {
		t.Fatal("the server did not start")
	}
	go io.Copy(io.Discard, out)
	s.login()
	return s
}

func (s *server) login() {
	s.t.Helper()
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	s.post("/auth/oauth/clients/personal", url.Values{"username": {"admin"}, "password": {password}}, &client)
	var access struct {
		Token string `json:"access_token"`
	}
	s.post("/auth/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {client.ID}, "client_secret": {client.Secret}}, &access)
	s.token = access.Token
}

func (s *server) post(path string, form url.Values, to any) {
	s.t.Helper()
	resp, err := http.PostForm(s.url+path, form)
	check(s.t, err)
	defer resp.Body.Close()
	check(s.t, json.NewDecoder(resp.Body).Decode(to))
}

// work has three jobs done, and their events read.
func (s *server) work() {
	s.t.Helper()
	for range 3 {
		body := s.do(http.MethodPost, "/jobs", `{"job_type":"noop","auto_approve":true}`)
		var job struct {
			ID string `json:"job_id"`
		}
		check(s.t, json.Unmarshal(body, &job))
		s.get("/jobs/" + job.ID + "/stream") // it ends with the job
		s.await("/jobs/"+job.ID, `"status":"completed"`)
	}
}

// await asks until an answer has a text.
func (s *server) await(path, text string) {
	s.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for !strings.Contains(string(s.get(path)), text) {
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("%s does not say %s", path, text)
		}
	}
}

func (s *server) get(path string) []byte { return s.do(http.MethodGet, path, "") }

func (s *server) do(method, path, body string) []byte {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	check(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	check(s.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	check(s.t, err)
	if resp.StatusCode/100 != 2 {
		s.t.Fatalf("%s %s: %s %s", method, path, resp.Status, answer)
	}
	return answer
}

package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const good = "correct horse battery"

// place is a machine that is set up: a home, and the fakes of PostgreSQL's programs.
type place struct {
	dir, file, data string
	env             map[string]string
}

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{dir: t.TempDir()}
	p.file, p.data = filepath.Join(p.dir, "config", "serve.env"), filepath.Join(p.dir, "data")
	p.env = map[string]string{"HOME": p.dir, "KG_DATA_DIR": p.data}
	return p
}

// run runs kg setup with what is typed, and returns what is shown.
func (p place) run(t *testing.T, typed string, args ...string) (out string, err error) {
	t.Helper()
	var shown bytes.Buffer
	cmd := NewCommand(Config{
		In: strings.NewReader(typed), Out: &shown, Default: p.file, Check: func(_, text string) error {
			if strings.Contains(text, "KG_ADDR=refused") {
				return errors.New("KG_ADDR: refused\nfor the test")
			}
			return nil
		},
		Env: func(name string) (string, bool) { value, ok := p.env[name]; return value, ok },
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return shown.String(), err
}

// answers writes a file of answers.
func (p place) answers(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(p.dir, "answers.yaml")
	check(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// freeAddress returns an address that was free just now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer l.Close()
	return l.Addr().String()
}

// contents returns a file, and fails when others can read it.
func contents(t *testing.T, path string) string {
	t.Helper()
	stat, err := os.Stat(path)
	check(t, err)
	if stat.Mode().Perm() != 0o600 {
		t.Errorf("%s has the mode %s", path, stat.Mode())
	}
	text, err := os.ReadFile(path)
	check(t, err)
	return string(text)
}

// TestDialogue answers every question, some of them wrongly at first.
func TestDialogue(t *testing.T) {
	p := newPlace(t)
	occupied, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer occupied.Close()
	free := freeAddress(t)
	out, err := p.run(t, strings.Join([]string{
		"relative", "", // data: wrong, default
		"postgres://ada:hunter22hunter22@127.0.0.1:1/kappa", "y", // a database that does not answer
		"gpt", "anthropic", "", "sk-ant-secret", "n", // the model: none such; a key that is asked for twice
		"here", occupied.Addr().String(), free, // the address
		"short", good, // the password
		"", // write
	}, "\n")+"\n")
	check(t, err)
	for _, want := range []string{
		"must be a path from the root", "answer one of local, openai, anthropic, ollama", "connect: ", "must be host:port", "listens on port", "the password must have at least",
		"Folder [" + p.data + "]", "DATABASE_URL=postgres://ada:xxxxx@127.0.0.1:1/kappa", "kg serve\n", "kg login -u admin",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for _, secret := range []string{"hunter22", "sk-ant-secret", good} {
		if strings.Contains(out, secret) {
			t.Errorf("it shows %q", secret)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
	dir := filepath.Dir(p.file)
	want := fmt.Sprintf("KG_DATA_DIR=%s DATABASE_URL=postgres://ada:hunter22hunter22@127.0.0.1:1/kappa KG_EXTRACTOR=anthropic KG_ANTHROPIC_API_KEY_FILE=%s/model-key KG_ADDR=%s KG_ADMIN_PASSWORD_FILE=%s/admin-password", p.data, dir, free, dir)
	if got := set(contents(t, p.file)); got != want {
		t.Errorf("the file sets\n%s, want\n%s", got, want)
	}
	if contents(t, filepath.Join(dir, "model-key")) != "sk-ant-secret\n" || contents(t, filepath.Join(dir, "admin-password")) != good+"\n" {
		t.Error("the files with secrets have others")
	}
}

// set returns what a settings file sets, on a line.
func set(text string) string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return strings.Join(list, " ")
}

// TestAnswers writes without asking.
func TestAnswers(t *testing.T) {
	for name, tt := range map[string]struct{ answers, want string }{
		"none": {"", "KG_DATA_DIR=@ KG_ADDR=127.0.0.1:8000"},
		"a server for others behind a proxy": {
			"address: 0.0.0.0:8000\ndatabase: host=db password=secret dbname=kappa\n", "KG_DATA_DIR=@ DATABASE_URL=host=db password=secret dbname=kappa KG_ADDR=0.0.0.0:8000 KG_PLAIN_HTTP=1",
		},
		"a public name": {"address: :443\ntls: acme\nacme_domains: kappa.example.com\n", "KG_DATA_DIR=@ KG_ADDR=:443 KG_ACME_DOMAINS=kappa.example.com"},
		"certificates":  {"address: :8443\ntls: files\ntls_cert: /c\ntls_key: /k\n", "KG_DATA_DIR=@ KG_ADDR=:8443 KG_TLS_CERT=/c KG_TLS_KEY=/k"},
		"a model":       {"model: ollama\nmodel_url: http://ollama:11434\nadmin_password_file: /p\n", "KG_DATA_DIR=@ KG_EXTRACTOR=ollama KG_OLLAMA_URL=http://ollama:11434 KG_ADDR=127.0.0.1:8000 KG_ADMIN_PASSWORD_FILE=/p"},
		"as JSON":       {`{"data_dir": "/srv/kappa", "model": "local"}`, "KG_DATA_DIR=/srv/kappa KG_ADDR=127.0.0.1:8000"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			_, err := p.run(t, tt.answers, "--answers", "-", "--unchecked")
			check(t, err)
			if got, want := set(contents(t, p.file)), strings.ReplaceAll(tt.want, "@", p.data); got != want {
				t.Errorf("the file sets\n%s, want\n%s", got, want)
			}
		})
	}
}

// TestWrongAnswers says everything that is wrong at once, and writes nothing.
func TestWrongAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		answers string
		want    []string
	}{
		"all of them": {
			"data_dir: here\ndatabase: postgres://127.0.0.1:1/x\nmodel: gpt\naddress: nowhere\ntls: perhaps\nadmin_password: admin\n",
			[]string{"data_dir: must be a path", "database: connect", "model: must be one of", "address: must be host:port", "tls: must be files, acme or none", "admin_password: the password must have"},
		},
		"a name that is none": {"databse: own\n", []string{"--answers: ", `unknown field "databse"`}},
		"no YAML":             {"{", []string{"--answers: "}},
		"a missing key":       {"model: openai\n", []string{"model: openai needs a key"}},
		"a missing file":      {"tls: files\ntls_cert: /nowhere/c\ntls_key: /nowhere/k\n", []string{"tls: read the certificate: open /nowhere/c"}},
		"a folder of a file":  {"data_dir: /dev/null/kappa\n", []string{"data_dir: "}},
		"two lines in one":    {"data_dir: \"/tmp/a\\nKG_TEST=1\"\n", []string{"KG_DATA_DIR: must be one line"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			_, err := p.run(t, "", "--answers", p.answers(t, tt.answers))
			if code, _ := exit.CodeOf(err); code != exit.Misused {
				t.Fatalf("exit code %d: %v", code, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %q:\n%v", want, err)
				}
			}
			if _, err := os.Stat(p.file); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file is there: %v", err)
			}
		})
	}
	p := newPlace(t)
	if _, err := p.run(t, "address: refused:1\n", "--answers", "-", "--unchecked"); err == nil || !strings.Contains(err.Error(), "kg serve would not start with these answers:\n  KG_ADDR: refused") {
		t.Errorf("what the server refuses: %v", err)
	}
	if _, err := p.run(t, p.data+"\n"); err == nil || !strings.Contains(err.Error(), "nobody answers") {
		t.Errorf("half a dialogue: %v", err)
	}
}

// TestModelIsCalled calls the provider only when that is asked for.
func TestModelIsCalled(t *testing.T) {
	calls := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":{"message":"no such key"}}`)
	}))
	defer api.Close()
	a := answers{Model: "openai", ModelURL: api.URL, ModelKey: "sk-secret"}
	if err := a.checkModel(); err != nil || calls != 0 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if err := a.callModel(t.Context()); err == nil || calls != 1 || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// TestNothingIsLost replaces a file with settings only when somebody says so, and one with
// comments alone as it is.
func TestNothingIsLost(t *testing.T) {
	p := newPlace(t)
	check(t, os.MkdirAll(filepath.Dir(p.file), 0o700))
	check(t, os.WriteFile(p.file, []byte("# of the package\n#KG_ADDR=127.0.0.1:8000\n"), 0o640))
	_, err := p.run(t, "", "--answers", "-", "--unchecked")
	check(t, err)
	stat, err := os.Stat(p.file)
	if check(t, err); stat.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %s: a service could not read it any more", stat.Mode())
	}
	before, err := os.ReadFile(p.file)
	check(t, err)
	for _, how := range []struct{ typed, flag string }{{"address: 127.0.0.1:9\n", "--answers=-"}, {"n\n", "--force=false"}} {
		_, err := p.run(t, how.typed, how.flag, "--unchecked="+fmt.Sprint(how.flag == "--answers=-"))
		if code, _ := exit.CodeOf(err); code != exit.Failed {
			t.Errorf("exit code %d: %v", code, err)
		}
	}
	if after, err := os.ReadFile(p.file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %s (%v)", after, err)
	}
	out, err := p.run(t, "address: 127.0.0.1:9\ndatabase: postgres://a:b@c/d?password=e\n", "--answers", "-", "--unchecked", "--print")
	if check(t, err); !strings.Contains(out, "KG_ADDR=127.0.0.1:9") || !strings.Contains(out, "postgres://a:xxxxx@c/d?password=xxxxx") {
		t.Errorf("it prints\n%s", out)
	}
	if after, err := os.ReadFile(p.file); err != nil || string(after) != string(before) {
		t.Errorf("--print has changed the file: %s (%v)", after, err)
	}
	_, err = p.run(t, "address: 127.0.0.1:9\n", "--answers", "-", "--unchecked", "--force")
	if check(t, err); !strings.Contains(set(string(must(os.ReadFile(p.file)))), "KG_ADDR=127.0.0.1:9") {
		t.Error("--force does not replace it")
	}
}

func must(text []byte, _ error) []byte { return text }

package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const keyCanary = "sk-canary-0815-settings"

// lookupIn returns a lookup of settings in a map.
func lookupIn(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}
}

func TestModelSettings(t *testing.T) {
	dir := t.TempDir()
	keyFile, prices, broken := filepath.Join(dir, "key"), filepath.Join(dir, "prices"), filepath.Join(dir, "broken")
	for name, text := range map[string]string{keyFile: keyCanary + "\n", prices: `{"openai": {"gpt": {"input": 3, "output": 4}}}`, broken: `{"openai": {"gpt": {"input": -3}}}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		set  map[string]string
		want string // within the error; "" for none
	}{
		"nothing":                           {map[string]string{}, ""},
		"a key in the environment":          {map[string]string{"KG_EXTRACTOR": "openai", "OPENAI_API_KEY": keyCanary}, ""},
		"a key in a file":                   {map[string]string{"KG_EXTRACTOR": "anthropic", "KG_ANTHROPIC_API_KEY_FILE": keyFile}, ""},
		"a compatible server without a key": {map[string]string{"KG_EXTRACTOR": "openai", "KG_OPENAI_BASE_URL": "http://127.0.0.1:1234/v1"}, ""},
		"no key":                            {map[string]string{"KG_EXTRACTOR": "openai"}, ""}, // it may be stored, see TestNoKey
		"no such file":                      {map[string]string{"KG_EXTRACTOR": "openai", "KG_OPENAI_API_KEY_FILE": filepath.Join(dir, "none")}, "KG_OPENAI_API_KEY_FILE: must be a file"},
		"a key of two lines":                {map[string]string{"KG_EXTRACTOR": "openai", "OPENAI_API_KEY": keyCanary + "\nx"}, "OPENAI_API_KEY: must be one line"},
		"remote":                            {map[string]string{"KG_EXTRACTOR": "remote"}, "remote needs KG_WORKER_SECRET"},
		"another extractor":                 {map[string]string{"KG_EXTRACTOR": "gemini"}, "KG_EXTRACTOR: must be local, openai, anthropic, ollama or remote"},
		"anthropic has no embeddings":       {map[string]string{"KG_EMBEDDER": "anthropic"}, "KG_EMBEDDER: must be local, file, openai or ollama"},
		"no such embedding":                 {map[string]string{"KG_EMBEDDING_FILE": filepath.Join(dir, "none")}, "KG_EMBEDDING_FILE: must be a folder"},
		"a file that is not named":          {map[string]string{"KG_EMBEDDER": "file"}, "KG_EMBEDDING_FILE: must be set"},
		"a URL with a password":             {map[string]string{"KG_OPENAI_BASE_URL": "https://u:" + keyCanary + "@example.com"}, "KG_OPENAI_BASE_URL: must be http"},
		"a URL that is none":                {map[string]string{"KG_OLLAMA_URL": "localhost"}, "KG_OLLAMA_URL: must be http"},
		"prices of one's own":               {map[string]string{"KG_MODEL_PRICES": prices}, ""},
		"prices below zero":                 {map[string]string{"KG_MODEL_PRICES": broken}, "KG_MODEL_PRICES: the price of openai"},
	} {
		t.Run(name, func(t *testing.T) {
			c.set["KG_DATA_DIR"] = dir
			s, err := readSettings(lookupIn(c.set), settingsFile{})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			shown := fmt.Sprintf("%v %+v %#v", s.Models, s.Models, s)
			if c.set["KG_OPENAI_BASE_URL"] != "" {
				shown = "" // the settings keep the URL
			}
			if shown += fmt.Sprint(err); strings.Contains(shown, keyCanary) {
				t.Errorf("the key is shown: %s", shown)
			}
		})
	}
}

func TestPricesOfOnesOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "prices")
	if err := os.WriteFile(file, []byte(`{"openai": {"gpt-x": {"input": 3, "output": 4}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m := modelSettings{PricesFile: file}
	prices, err := m.prices()
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]float64{"gpt-x-large": 3, "gpt-4.1-mini-2026": 0.4, "gpt-4.1": 2} {
		if got := prices.Of("openai", model).Input; got != want {
			t.Errorf("%s costs %v, want %v", model, got, want)
		}
	}
}

package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// walks are what new users do, as scripts: see test/walks.
func walks(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../walks/*.sh")
	if err != nil || len(list) < 9 {
		t.Fatalf("the walks are %q, err %v", list, err)
	}
	return list
}

// walked does every walk in a container in which the service runs and its administrator has
// logged in.
func walked(t *testing.T, c *container) {
	t.Helper()
	c.run(t, "apt-get install -y -qq --no-install-recommends curl python3-rdflib python3-networkx")
	for _, script := range walks(t) {
		name := filepath.Base(script)
		if text, err := os.ReadFile(script); err != nil || !strings.HasPrefix(string(text), "#!") {
			continue // what the others read
		}
		t.Run(strings.TrimSuffix(name, ".sh"), func(t *testing.T) {
			if said, err := c.try(t.Context(), "timeout 180 sh /root/"+name); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

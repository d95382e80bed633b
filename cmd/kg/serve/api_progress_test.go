package serve

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// TestProgressIsDocumentedAsItIsSent compares the schema of a progress, which is
// written by hand, with its JSON.
func TestProgressIsDocumentedAsItIsSent(t *testing.T) {
	text, err := json.Marshal(work.Progress{Stage: "s", ItemsTotal: 2, ItemsProcessed: 1, Message: "m"})
	if err != nil {
		t.Fatal(err)
	}
	var sent map[string]any
	if err := json.Unmarshal(text, &sent); err != nil {
		t.Fatal(err)
	}
	doc, _ := apitest.ReadSpec(t, newWholeAPI(t))
	schema, _ := doc.Components.Schemas["Progress"].(map[string]any)
	documented, _ := schema["properties"].(map[string]any)
	if want, got := slices.Sorted(maps.Keys(sent)), slices.Sorted(maps.Keys(documented)); !slices.Equal(got, want) {
		t.Errorf("documented are %q, sent %q", got, want)
	}
	if percent, _ := documented["percent"].(map[string]any); percent["type"] != "integer" {
		t.Errorf("percent is documented as %v", percent)
	}
}

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// notAtRandom are operations that would take the right to go on from the test, besides
// those that are left alone.
var notAtRandom = []string{
	"PUT /users/{id}", "DELETE /users/{id}", "POST /users/{id}/reset-password", "DELETE /auth/oauth/clients/personal/{client_id}",
	"POST /auth/oauth/clients/personal/{client_id}/rotate-secret", "POST /auth/oauth/revoke", "DELETE /auth/keys/{id}",
}

// TestDescribedRandomRequests_Slow sends requests that are nearly right: made of the OpenAPI
// document and of what there is, with a value here and there that is not. They get further
// than TestDescribedBadRequests_Slow does. KG_FUZZ_SEED chooses others, and KG_FUZZ_SECONDS
// how long.
func TestDescribedRandomRequests_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	seed, seconds := uint64(18), 10
	for name, set := range map[string]func(n int){"KG_FUZZ_SEED": func(n int) { seed = uint64(n) }, "KG_FUZZ_SECONDS": func(n int) { seconds = n }} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			set(n)
		}
	}
	r := newReplay(t)
	r.sections(t, []contractSection{{"logging in", loginExchanges()}, {"what there is", beforeSubmissions()}})
	r.t = t
	_, document, err := r.ask("GET", "/openapi.json", nil, "-")
	check(t, err)
	operations, schemas := readOperations(t, document)
	operations = slices.DeleteFunc(operations, func(op described) bool { return slices.Contains(notAtRandom, op.method+" "+op.path) })
	m := maker{random: rand.New(rand.NewPCG(seed, 18)), schemas: schemas, texts: badTexts()}
	for _, name := range slices.Sorted(maps.Keys(r.kept)) {
		m.texts = append(m.texts, r.kept[name])
	}
	sent, taken := 0, 0
	for end := time.Now().Add(time.Duration(seconds) * time.Second); time.Now().Before(end); sent++ {
		i := m.random.IntN(len(operations))
		switch status := r.sendBad(m.request(operations[i])); {
		case status == 0:
			operations = slices.Delete(operations, i, i+1) // one failure of each is enough
		case status < 300:
			taken++
		}
		if sent%1000 == 999 { // tokens live an hour, and the test may have ended this one's client
			r.exchange(exchange{method: "GET", path: "/users/me"})
		}
	}
	t.Logf("seed %d: %d requests to %d operations, of which %d were taken", seed, sent, len(operations), taken)
	if taken < sent/50 {
		t.Error("nearly all were refused: they test little")
	}
}

// badTexts are texts that are right for many members, and some that are for none.
func badTexts() []string {
	return []string{
		"ice", "fire", "sea", "hills", "none", "__all__", "CAUSES", "ERODES", "noop", "sleep", "1", "2", "7", "0", "-1", "acid rain", "a", "", " ", "\x00", "\n", "é", "🌋", "%", "%00", "../..", "'", `"`, `\`,
		"{}", "[]", "null", "true", "2026-01-31T08:00:00Z", "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z", "* * * * *", "0 3 * * *", "SELECT 1", "1h", "text/plain", "\u202e", strings.Repeat("x", 300), strings.Repeat("ab ", 4000),
	}
}

// maker makes requests.
type maker struct {
	random  *rand.Rand
	schemas map[string]jsonSchema
	texts   []string
}

func (m *maker) text() string { return m.texts[m.random.IntN(len(m.texts))] }

// chance is true once in n times.
func (m *maker) chance(n int) bool { return m.random.IntN(n) == 0 }

// request returns a request to an operation.
func (m *maker) request(op described) badRequest {
	path := pathPlace.ReplaceAllStringFunc(op.path, func(string) string {
		if text := url.PathEscape(m.text()); text != "" {
			return text
		}
		return "x"
	})
	query := url.Values{}
	for _, p := range op.Parameters {
		if p.In == "query" && (p.Required || m.chance(3)) {
			query.Set(p.Name, m.plain(p.Schema))
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	b := badRequest{method: op.method, path: path, why: "at random"}
	for _, contentType := range slices.Sorted(maps.Keys(op.RequestBody.Content)) {
		schema := op.RequestBody.Content[contentType].Schema.resolved(m.schemas)
		switch b.contentType = contentType; {
		case contentType == "application/json":
			body, _ := json.Marshal(m.value(schema, 0))
			b.body = string(body)
		default:
			form := url.Values{}
			for name, member := range schema.Properties {
				if slices.Contains(schema.Required, name) || m.chance(3) {
					form.Set(name, m.plain(member))
				}
			}
			b.contentType, b.body = "application/x-www-form-urlencoded", form.Encode()
		}
	}
	return b
}

// plain returns a value as a parameter writes it.
func (m *maker) plain(schema jsonSchema) string {
	switch v := m.value(schema.resolved(m.schemas), 5).(type) {
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

// value returns a value of a schema, and sometimes another one.
func (m *maker) value(schema jsonSchema, depth int) any {
	schema = schema.resolved(m.schemas)
	kinds := schema.kinds()
	if len(kinds) == 0 || m.chance(25) {
		kinds = []string{"string", "integer", "number", "boolean", "null", "array", "object"}
	}
	if len(schema.Enum) > 0 && !m.chance(10) {
		return schema.Enum[m.random.IntN(len(schema.Enum))]
	}
	switch kinds[m.random.IntN(len(kinds))] {
	case "string":
		return m.text()
	case "integer":
		return [...]int64{0, 1, 2, 3, 5, 10, 50, 100, 1000, -1, 1 << 31, 1<<63 - 1, -1 << 63}[min(m.random.IntN(20), 12)]
	case "number":
		return [...]float64{0, 0.1, 0.5, 0.9, 1, 2, 10, -0.5, 1e300, 5e-324}[min(m.random.IntN(14), 9)]
	case "boolean":
		return m.chance(2)
	case "array":
		list := []any{}
		for range m.random.IntN(4) {
			if schema.Items != nil && depth < 4 {
				list = append(list, m.value(*schema.Items, depth+1))
			}
		}
		return list
	case "object":
		return m.object(schema, depth)
	}
	return nil
}

func (m *maker) object(schema jsonSchema, depth int) any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if depth < 4 && (slices.Contains(schema.Required, name) && !m.chance(40) || m.chance(3)) {
			object[name] = m.value(schema.Properties[name], depth+1)
		}
	}
	if len(schema.Properties) == 0 && m.chance(2) {
		object[m.text()] = m.text()
	}
	return object
}

package programs_test

import (
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa/knowledge/programs"
)

// Reading a program reports what is wrong with it, and where.
func ExampleRead() {
	_, report := programs.Read(json.RawMessage(`{"version": 1, "statements": [
		{"op": "+", "operation": {"type": "api", "endpoint": "/search/concepts", "params": {"limit": 5}}}
	]}`))
	for _, issue := range report.Errors {
		fmt.Println(*issue.Field, issue.Message)
	}
	// Output: statements[0].operation.params.query query is required
}

func ExampleParseCypher() {
	s, _, problem := programs.ParseCypher("MATCH (c:Concept) WHERE c.concept_id IN $W_IDS RETURN c LIMIT 5", nil)
	fmt.Println(s.Limit, problem == "")
	// Output: 5 true
}

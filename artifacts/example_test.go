package artifacts_test

import (
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa/artifacts"
)

// The data of a job refers to dataclips by their ids; what stands there itself is an object.
func ExampleDataclipReferences() {
	data := json.RawMessage(`{"dataclips": {"input": "clip_0123456789abcdef01234567", "other": {"a": 1}}}`)
	fmt.Println(artifacts.DataclipReferences(data))
	// Output: [clip_0123456789abcdef01234567]
}

func ExampleNewArtifact_Validate() {
	a := artifacts.NewArtifact{Label: artifacts.Label{Type: "picture", Representation: "cli"}}
	fmt.Println(a.Validate() != nil)
	// Output: true
}

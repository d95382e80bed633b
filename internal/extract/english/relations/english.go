package relations

import (
	_ "embed" // the weights
	"sync"
)

// What was learned of English: see NOTICE for the texts, and make train-relations.
//
//go:embed english.weights
var englishWeights []byte

// English returns the model of English, which is read once. It fails only when the file that is
// linked into the program is broken.
var English = sync.OnceValues(func() (*Model, error) { return Decode(englishWeights) })

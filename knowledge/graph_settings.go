package knowledge

import (
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The ranges of the settings of questions to the graph.
const (
	MinGraphTimeoutSeconds = 5
	MaxGraphTimeoutSeconds = 120
	MaxGraphParallelFrom   = 1_000_000
	MaxGraphChunkSize      = 100_000
	MinGraphChunkResults   = 100
	MaxGraphChunkResults   = 5_000_000
)

// GraphSettings bound the questions to the graph. They are a row that operators
// edit while Kappa runs.
type GraphSettings struct {
	// MaxWorkers is how many connections, besides their own, all questions of one
	// server use together to read wide levels from the tables: 1 to 32.
	MaxWorkers int `json:"max_workers"`
	// TimeoutSeconds bounds each question as a whole: 5 to 120.
	TimeoutSeconds int `json:"timeout_seconds"`
	// ParallelFrom is how many concepts a level has that is cut into chunks: 1 to
	// 1,000,000. A smaller one is read by one query.
	ParallelFrom int `json:"parallel_from"`
	// ChunkSize is how many concepts one query of such a level reads around: 1 to
	// 100,000.
	ChunkSize int `json:"chunk_size"`
	// ChunkTimeoutSeconds bounds one query: 1 to 120. A chunk that takes longer is
	// skipped, and the answer says so.
	ChunkTimeoutSeconds int `json:"chunk_timeout_seconds"`
	// MaxResultsPerChunk is how many relationships one query reads: 100 to 5,000,000.
	// An answer that more were left out of says so.
	MaxResultsPerChunk int        `json:"max_results_per_chunk"`
	UpdatedAt          kappa.Time `json:"updated_at"`
}

// DefaultGraphSettings returns the settings of a new database.
func DefaultGraphSettings() GraphSettings {
	return GraphSettings{
		MaxWorkers: 8, TimeoutSeconds: 30, ParallelFrom: 4000, ChunkSize: 1000, ChunkTimeoutSeconds: 5,
		MaxResultsPerChunk: 500_000,
	}
}

// Timeout returns how long a question may take.
func (s GraphSettings) Timeout() time.Duration { return time.Duration(s.TimeoutSeconds) * time.Second }

// ChunkTimeout returns how long one query may take.
func (s GraphSettings) ChunkTimeout() time.Duration {
	return time.Duration(s.ChunkTimeoutSeconds) * time.Second
}

// GraphSettingsUpdate changes the settings of questions to the graph; nil leaves one as it
// is.
type GraphSettingsUpdate struct {
	MaxWorkers          *int `json:"max_workers,omitempty"`
	TimeoutSeconds      *int `json:"timeout_seconds,omitempty"`
	ParallelFrom        *int `json:"parallel_from,omitempty"`
	ChunkSize           *int `json:"chunk_size,omitempty"`
	ChunkTimeoutSeconds *int `json:"chunk_timeout_seconds,omitempty"`
	MaxResultsPerChunk  *int `json:"max_results_per_chunk,omitempty"`
}

// graphSetting is one setting: its range, its value, and what an update says of it.
type graphSetting struct {
	name        string
	least, most int
	value       func(s *GraphSettings) *int
	update      func(u GraphSettingsUpdate) *int
}

func graphSettingsTable() []graphSetting {
	return []graphSetting{
		{"max_workers", 1, MaxGraphWorkers, func(s *GraphSettings) *int { return &s.MaxWorkers }, func(u GraphSettingsUpdate) *int { return u.MaxWorkers }},
		{"timeout_seconds", MinGraphTimeoutSeconds, MaxGraphTimeoutSeconds, func(s *GraphSettings) *int { return &s.TimeoutSeconds }, func(u GraphSettingsUpdate) *int { return u.TimeoutSeconds }},
		{"parallel_from", 1, MaxGraphParallelFrom, func(s *GraphSettings) *int { return &s.ParallelFrom }, func(u GraphSettingsUpdate) *int { return u.ParallelFrom }},
		{"chunk_size", 1, MaxGraphChunkSize, func(s *GraphSettings) *int { return &s.ChunkSize }, func(u GraphSettingsUpdate) *int { return u.ChunkSize }},
		{"chunk_timeout_seconds", 1, MaxGraphTimeoutSeconds, func(s *GraphSettings) *int { return &s.ChunkTimeoutSeconds }, func(u GraphSettingsUpdate) *int { return u.ChunkTimeoutSeconds }},
		{"max_results_per_chunk", MinGraphChunkResults, MaxGraphChunkResults, func(s *GraphSettings) *int { return &s.MaxResultsPerChunk }, func(u GraphSettingsUpdate) *int { return u.MaxResultsPerChunk }},
	}
}

// Validate reports every rule that u breaks.
func (u GraphSettingsUpdate) Validate() error {
	if u == (GraphSettingsUpdate{}) {
		return kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	var r check.Rules
	for _, s := range graphSettingsTable() {
		if v := s.update(u); v != nil {
			r.Add("body", s.name, check.Range(*v, s.least, s.most))
		}
	}
	return r.Err()
}

// Apply returns the settings after u, and what differs, by setting.
func (u GraphSettingsUpdate) Apply(was GraphSettings) GraphSettingsChange {
	change := GraphSettingsChange{Settings: was, Changed: map[string]kappa.SettingDiff{}}
	for _, s := range graphSettingsTable() {
		old, v := *s.value(&was), s.update(u)
		if v != nil && *v != old {
			*s.value(&change.Settings) = *v
			change.Changed[s.name] = kappa.SettingDiff{Old: old, New: *v}
		}
	}
	return change
}

// GraphSettingsChange is what an update changed, by setting.
type GraphSettingsChange struct {
	Settings GraphSettings                `json:"settings"`
	Changed  map[string]kappa.SettingDiff `json:"changed"`
}

// GraphWork is what questions to the graph have done on the tables since the
// server's start.
type GraphWork struct {
	Chunks     int64 // queries for the neighbours of a level, or of a chunk of one
	Failed     int64 // of them
	Late       int64 // of the failed ones: their time, or that of the question, ran out
	Sequential int64 // levels that were cut into chunks, and for which no worker was free
	Workers    int   // at work now
	MaxWorkers int
}

// MaxGraphWorkers is how many workers questions to the graph may be given at most.
const MaxGraphWorkers = 32

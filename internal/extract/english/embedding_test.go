package english

import (
	"math"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
)

// labelPair is two texts and what their similarity must be.
type labelPair struct {
	a, b   string
	lo, hi float64 // the cosine must be in [lo, hi]
}

// same are spellings and inflections of one name; 0.85 joins two concepts.
var same = []labelPair{
	{"worker lane", "worker lanes", 0.85, 1},
	{"worker lane", "Worker-Lane", 0.85, 1},
	{"worker lane", "worker_lane", 0.85, 1},
	{"worker lane", "WorkerLane", 0.85, 1},
	{"worker lane", "Worker Lanes", 0.85, 1},
	{"PostgreSQL database", "PostgreSQL databases", 0.85, 1},
	{"PostgreSQL", "postgresql", 0.85, 1},
	{"claim token", "claim tokens", 0.85, 1},
	{"knowledge graph", "Knowledge Graphs", 0.85, 1},
	{"co-occurrence", "cooccurrence", 0.85, 1},
	{"co-occurrence", "co-occurrences", 0.85, 1},
	{"e-mail", "email", 0.85, 1},
	{"colour", "color", 0.85, 1},
	{"colour model", "color models", 0.85, 1},
	{"behaviour", "behavior", 0.85, 1},
	{"organisation", "organization", 0.85, 1},
	{"centre of mass", "center of mass", 0.85, 1},
	{"analyse", "analyze", 0.85, 1},
	{"catalogue", "catalog", 0.85, 1},
	{"cancelled job", "canceled job", 0.85, 1},
	{"theory of relativity", "theory of relativity", 0.999, 1},
	{"University of Oslo", "university of Oslo", 0.999, 1},
	{"process", "processes", 0.85, 1},
	{"query", "queries", 0.85, 1},
	{"index", "indexes", 0.85, 1},
	{"virus", "viruses", 0.85, 1},
	{"river delta", "river deltas", 0.85, 1},
	{"mangrove forest", "mangrove forests", 0.85, 1},
	{"Cooper pair", "Cooper pairs", 0.85, 1},
	{"Newton's law", "Newton’s laws", 0.85, 1},
	{"write-ahead log", "write ahead logs", 0.85, 1},
	{"poll_interval_ms", "poll interval ms", 0.85, 1},
	{"Straße", "straße", 0.85, 1},
	{"知識グラフ", "知識グラフ", 0.999, 1},
	{"lane\nA lane is a named group of job types\nlanes", "lane", 0.85, 1},
	{"worker lane\nA named group of job types with its own slots.", "worker lanes", 0.85, 1},
	{"claim token\nThe number a claim gets from a sequence", "claim token\nWhat later writes name\ntokens of claims", 0.85, 1},
}

// apart are different names that share a word or letters: below 0.75 they are
// never joined.
var apart = []labelPair{
	{"claim token", "access token", -1, 0.6},
	{"PostgreSQL", "MySQL", -1, 0.5},
	{"PostgreSQL", "SQL", -1, 0.6},
	{"claim", "claim token", -1, 0.74},
	{"queue", "job queue", -1, 0.74},
	{"job", "job queue", -1, 0.74},
	{"worker", "worker lane", -1, 0.74},
	{"lane", "worker lane", -1, 0.74},
	{"worker lane", "worker lane configuration", -1, 0.74},
	{"claim query", "atomic claim query", -1, 0.74},
	{"kidney disease", "chronic kidney disease", -1, 0.74},
	{"acid", "lactic acid", -1, 0.74},
	{"lactic acid", "acetic acid", -1, 0.7},
	{"lactic acid", "lactic acid bacteria", -1, 0.74},
	{"job", "jobs table", -1, 0.74},
	{"Marie Curie", "Pierre Curie", -1, 0.7},
	{"North Sea", "Baltic Sea", -1, 0.7},
	{"import", "export", -1, 0.6},
	{"hypertension", "hypotension", -1, 0.74},
	{"symmetric", "asymmetric", -1, 0.74},
	{"claim", "chunk", -1, 0.4},
	{"Mr. Bennet\nHe has five daughters", "Mr. Bingley\nHe has five thousand a year", -1, 0.74},
	{"U.S. Army", "U.S. Navy", -1, 0.84},
	{"E. coli\nBacteria", "E. faecalis\nBacteria", -1, 0.74},
	{"St. Louis", "St. Petersburg", -1, 0.74},
	{"lane", "lease", -1, 0.4},
	{"photosynthesis", "photograph", -1, 0.6},
	{"Oslo", "University of Oslo", -1, 0.74},
	{"PostgreSQL 15", "PostgreSQL 16", -1, 0.84},
	{"heat stress", "heart stress", -1, 0.74},
	{"monsoon", "carbon dioxide", -1, 0.25},
	{"a", "b", -1, 0.5},
}

// embed embeds one text.
func embed(t *testing.T, text string) models.Embedding {
	t.Helper()
	vectors, err := NewEmbedder().Embed(t.Context(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	return vectors[0]
}

func TestEmbeddingPairs(t *testing.T) {
	lowest, highest := 1.0, -1.0
	shared := 0
	for _, p := range same {
		a, b := embed(t, p.a), embed(t, p.b)
		c := a.Cosine(b)
		if c < p.lo || c > p.hi+1e-6 {
			t.Errorf("cosine of %q and %q is %.3f, want at least %.2f", p.a, p.b, c, p.lo)
		}
		lowest = min(lowest, c)
		if shareBand(a, b) {
			shared++
		}
	}
	for _, p := range apart {
		c := embed(t, p.a).Cosine(embed(t, p.b))
		if c < p.lo || c > p.hi {
			t.Errorf("cosine of %q and %q is %.3f, want at most %.2f", p.a, p.b, c, p.hi)
		}
		highest = max(highest, c)
	}
	t.Logf("lowest of %d same pairs %.3f, highest of %d different pairs %.3f; %d of %d same pairs share a signature band",
		len(same), lowest, len(apart), highest, shared, len(same))
	if lowest <= highest-0.1 {
		t.Errorf("same pairs go down to %.3f and different pairs up to %.3f", lowest, highest)
	}
}

// shareBand reports whether an index on signature bands would find one of the
// embeddings by the other.
func shareBand(a, b models.Embedding) bool {
	sa, sb := a.Signature(), b.Signature()
	keys := map[int32]bool{}
	for _, k := range sa.Bands() {
		keys[k] = true
	}
	for _, k := range sb.Bands() {
		if keys[k] {
			return true
		}
	}
	return false
}

func TestEmbeddingQuestions(t *testing.T) {
	t.Run("a question finds the concepts it names", func(t *testing.T) {
		question := embed(t, "how do lanes claim jobs")
		for _, concept := range []string{"lane", "claim"} {
			if c := question.Cosine(embed(t, concept)); c < 0.3 {
				t.Errorf("cosine with %q is %.3f, want at least 0.3", concept, c)
			}
		}
		if c := question.Cosine(embed(t, "carbon dioxide")); c > 0.2 {
			t.Errorf("cosine with an unrelated concept is %.3f, want at most 0.2", c)
		}
	})
	t.Run("a plural finds the concept in spite of its description", func(t *testing.T) {
		if c := embed(t, "worker lanes").Cosine(embed(t, "worker lane\nA named group of job types\nlanes")); c < 0.85 {
			t.Errorf("cosine is %.3f, want at least 0.85", c)
		}
	})
}

func TestEmbeddingOfAnything(t *testing.T) {
	texts := []string{"", " ", "…", "!!!", "🙂", ". ", ". description only", "\xff\xfe", "a", strings.Repeat("x", 100000), strings.Repeat("word ", 50000), "0", "\x00"}
	first, err := NewEmbedder().Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := NewEmbedder().Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range first {
		if len(v) != dimensions {
			t.Fatalf("%.20q has %d dimensions, want %d", texts[i], len(v), dimensions)
		}
		sum := 0.0
		for j, x := range v {
			sum += float64(x) * float64(x)
			if x != again[i][j] {
				t.Fatalf("%.20q has two embeddings", texts[i])
			}
		}
		if math.Abs(sum-1) > 1e-4 {
			t.Errorf("%.20q has squared length %g, want 1", texts[i], sum)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	e := NewEmbedder()
	texts := []string{"worker lane\nA named group of job types with its own slots\nlanes", "claim token", "how do lanes claim jobs", "PostgreSQL database"}
	for b.Loop() {
		if _, err := e.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "texts/s")
}

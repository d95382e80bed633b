package export

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// The vocabularies of the RDF formats, by their prefixes. What has no word in the others is in
// Kappa's own.
var vocabularies = [][2]string{
	{"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
	{"xsd", "http://www.w3.org/2001/XMLSchema#"},
	{"skos", "http://www.w3.org/2004/02/skos/core#"},
	{"prov", "http://www.w3.org/ns/prov#"},
	{"dcterms", "http://purl.org/dc/terms/"},
	{"kappa", "urn:kappa:term:"},
}

// rdf writes Turtle, or N-Quads. Concepts are those of SKOS. A relationship is a triple, and a
// statement about that triple with its confidence; the sentences that state it are entities of
// PROV-O, quoted from their documents. In N-Quads these are in the graph of their ontology.
type rdf struct {
	text
	quads     bool
	evidence  bool
	documents map[string]bool // that were described
}

// fact is what is said of something: a predicate with its prefix, and an object as written.
type fact struct{ predicate, object string }

func newRDF(w *bufio.Writer, about questions.Completeness, quads, evidence bool) Writer {
	r := &rdf{text: text{w}, quads: quads, evidence: evidence, documents: map[string]bool{}}
	if !quads {
		for _, v := range vocabularies {
			r.put("@prefix ", v[0], ": <", v[1], "> .\n")
		}
	}
	facts := []fact{{"kappa:complete", typed("boolean", strconv.FormatBool(about.Complete))}}
	if about.Missing != "" {
		facts = append(facts, fact{"kappa:missing", literal(about.Missing)})
	}
	r.say("<urn:kappa:export>", "", facts...)
	return r
}

func (r *rdf) Node(n questions.GraphNode) error {
	facts := []fact{{"rdf:type", r.word("skos:Concept")}, {"skos:prefLabel", literal(n.Label)}, {"dcterms:identifier", literal(n.ConceptID)}, {"kappa:degree", typed("integer", strconv.Itoa(n.Degree))}}
	if n.Description != nil {
		facts = append(facts, fact{"skos:definition", literal(*n.Description)})
	}
	if n.Level != nil {
		facts = append(facts, fact{"kappa:confidenceLevel", literal(*n.Level)})
	}
	if n.Confidence != nil {
		facts = append(facts, fact{"kappa:confidenceScore", typed("double", number(*n.Confidence))})
	}
	if n.Strength != nil {
		facts = append(facts, fact{"kappa:groundingStrength", typed("double", number(*n.Strength))})
	}
	r.say(iri("concept", n.ConceptID), "", facts...)
	return r.failed()
}

func (r *rdf) Edge(e questions.SubgraphEdge) error {
	from, kind, to := iri("concept", e.FromID), iri("type", e.Type), iri("concept", e.ToID)
	r.put(from, " ", kind, " ", to, " .\n")
	facts := []fact{{"rdf:type", r.word("rdf:Statement")}, {"rdf:subject", from}, {"rdf:predicate", kind}, {"rdf:object", to}, {"kappa:confidence", typed("double", number(e.Confidence))}}
	var quotes []func()
	if r.evidence {
		for _, s := range sentencesOf(e) {
			quote := iri("quote", fmt.Sprintf("%s:%d-%d", s.DocumentID, s.Start, s.End))
			facts = append(facts, fact{"prov:wasDerivedFrom", quote})
			quotes = append(quotes, func() { r.quote(quote, s) })
		}
	}
	r.say(iri("statement", e.FromID+" "+e.Type+" "+e.ToID), "", facts...)
	for _, write := range quotes {
		write()
	}
	return r.failed()
}

// quote says what a sentence is, and what its document is.
func (r *rdf) quote(subject string, s sentence) {
	document, graph := iri("document", s.DocumentID), iri("ontology", s.Ontology)
	facts := []fact{{"rdf:type", r.word("prov:Entity")}, {"prov:value", literal(s.Quote)}, {"prov:wasQuotedFrom", document}, {"kappa:confidence", typed("double", number(s.Confidence))}}
	facts = append(facts, places(s.Span)...)
	if s.Place != "" {
		facts = append(facts, fact{"kappa:place", literal(s.Place)})
	}
	r.say(subject, graph, facts...)
	if !r.documents[s.DocumentID] {
		r.documents[s.DocumentID] = true
		r.say(document, graph, fact{"rdf:type", r.word("prov:Entity")}, fact{"dcterms:title", literal(s.Document)}, fact{"dcterms:isPartOf", graph})
	}
}

// places are the bytes of a sentence in its document.
func places(s corpus.Span) []fact {
	return []fact{{"kappa:startByte", typed("integer", strconv.Itoa(s.Start))}, {"kappa:endByte", typed("integer", strconv.Itoa(s.End))}}
}

// say writes what is said of a subject; in N-Quads in a graph, "" for the default one.
func (r *rdf) say(subject, graph string, facts ...fact) {
	for i, f := range facts {
		switch {
		case r.quads && graph != "":
			r.put(subject, " ", r.word(f.predicate), " ", f.object, " ", graph, " .\n")
		case r.quads:
			r.put(subject, " ", r.word(f.predicate), " ", f.object, " .\n")
		case i == 0:
			r.put(subject, " ", f.predicate, " ", f.object)
		default:
			r.put(" ;\n  ", f.predicate, " ", f.object)
		}
	}
	if !r.quads {
		r.put(" .\n")
	}
}

// word is a word of a vocabulary: with its prefix in Turtle, whole in N-Quads.
func (r *rdf) word(prefixed string) string {
	if !r.quads {
		return prefixed
	}
	prefix, name, _ := strings.Cut(prefixed, ":")
	for _, v := range vocabularies {
		if v[0] == prefix {
			return "<" + v[1] + name + ">"
		}
	}
	return "<" + prefixed + ">"
}

func (r *rdf) Close() error { return r.flushed() }

// iri names a thing of a kind. Bytes that an IRI may not have are percent-encoded.
func iri(kind, id string) string {
	var b strings.Builder
	b.WriteString("<urn:kappa:" + kind + ":")
	for i := range len(id) {
		if c := id[i]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.:", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	b.WriteByte('>')
	return b.String()
}

// literal is a text. What is not UTF-8 becomes U+FFFD.
func literal(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == 0: // which no program takes
			b.WriteRune('\uFFFD')
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// typed is a value of a type of XML Schema.
func typed(kind, value string) string {
	return `"` + value + `"^^<http://www.w3.org/2001/XMLSchema#` + kind + ">"
}

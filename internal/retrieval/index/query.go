package index

// Query asks for candidates.
type Query struct {
	Terms []Term
	// Allow says whether a passage may be returned; nil allows all. It must not keep the
	// Meta, which is reused.
	Allow func(*Meta) bool
	Limit int
}

// Term is a term of a question. A term that is there twice weighs as both together.
type Term struct {
	Field  Field
	Text   string
	Weight float32
}

// Meta is what is known of a passage besides its text.
type Meta struct {
	ID, Source, Document, Ontology int32
	Class, Kind                    uint8
	Language                       string
	English                        bool
}

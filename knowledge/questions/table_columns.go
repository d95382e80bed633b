package questions

// column describes one that has a value in every row.
func column(name, kind, description string) TableColumn {
	return TableColumn{Name: name, Type: kind, Description: description}
}

// optional describes one that may be NULL.
func optional(name, kind, description string) TableColumn {
	return TableColumn{Name: name, Type: kind, Nullable: true, Description: description}
}

func conceptColumns() []TableColumn {
	return []TableColumn{
		column("concept_id", ColumnText, "The id, which no other concept has"),
		column("label", ColumnText, "The name"),
		optional("description", ColumnText, "What documents say that it is"),
		column("search_terms", ColumnTexts, "Other names"),
		column("ontologies", ColumnTexts, "The ontologies whose documents show it"),
		column("creation_method", ColumnText, "llm_extraction for one that was read, human or agent for one that was made"),
		column("evidence_count", ColumnInteger, "Quotes that show it: its rows of evidence"),
		column("document_count", ColumnInteger, "Documents that show it"),
		column("created_at", ColumnInstant, "When it came about"),
	}
}

func relationshipColumns() []TableColumn {
	return []TableColumn{
		column("from_concept_id", ColumnText, "The concept that it points away from"),
		column("from_label", ColumnText, "The name of that concept"),
		column("type", ColumnText, "Its type, such as CAUSES"),
		column("category", ColumnText, "The category of the type"),
		column("to_concept_id", ColumnText, "The concept that it points to"),
		column("to_label", ColumnText, "The name of that concept"),
		column("confidence", ColumnNumber, "That of its surest sentence, 0 to 1"),
		column("ontologies", ColumnTexts, "The ontologies whose documents state it"),
		column("evidence_count", ColumnInteger, "Sentences that state it: its rows of evidence"),
		column("document_count", ColumnInteger, "Documents that state it"),
		column("created_at", ColumnInstant, "When it came about"),
	}
}

func evidenceColumns() []TableColumn {
	return []TableColumn{
		optional("concept_id", ColumnText, "The concept that it shows; NULL when it states a relationship"),
		optional("from_concept_id", ColumnText, "With type and to_concept_id the relationship that it states; NULL when it shows a concept"),
		optional("type", ColumnText, "The type of that relationship"),
		optional("to_concept_id", ColumnText, "The concept that that relationship points to"),
		column("quote", ColumnText, "The words of the document"),
		optional("confidence", ColumnNumber, "How certain the reading of a relationship is, 0 to 1; NULL when it shows a concept"),
		column("document_id", ColumnText, "With ontology the document that it stands in"),
		column("ontology", ColumnText, "The ontology of that document"),
		column("source_id", ColumnText, "The chunk of the document"),
		column("chunk_number", ColumnInteger, "The place of the chunk in the document, from 1"),
		column("start_byte", ColumnInteger, "Where the quote begins in the text of the document"),
		column("end_byte", ColumnInteger, "Where it ends"),
		column("created_at", ColumnInstant, "When it was read"),
	}
}

func documentColumns() []TableColumn {
	return []TableColumn{
		column("document_id", ColumnText, "The hash of its content"),
		column("ontology", ColumnText, "The ontology that it is in"),
		column("filename", ColumnText, "Its name"),
		optional("document_key", ColumnText, "The key that its submitter gave it"),
		optional("source_type", ColumnText, "What it came from, such as file or url"),
		optional("source_path", ColumnText, "Where it came from: a path or a URL"),
		column("version", ColumnInteger, "Which version it is, from 1"),
		column("content_type", ColumnText, "Its format"),
		column("chunk_count", ColumnInteger, "Chunks that it was cut into"),
		column("word_count", ColumnInteger, "Words of its chunks"),
		column("job_id", ColumnText, "The job that wrote it last"),
		column("ingested_at", ColumnInstant, "When it came in"),
	}
}

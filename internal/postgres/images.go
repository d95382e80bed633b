package postgres

import "context"

// ImageDescription returns what a model said of an image, or "" when it has not been
// asked.
func (s IngestionStore) ImageDescription(ctx context.Context, contentHash, model string) (string, error) {
	description, err := s.q().ImageDescription(ctx, contentHash, model)
	if isNoRows(err) {
		return "", nil
	}
	return description, translate(err, "read the description of an image")
}

// KeepImageDescription keeps what a model said of a stored image, and returns what is
// kept: the first description stays.
func (s IngestionStore) KeepImageDescription(ctx context.Context, contentHash, model, description string) (string, error) {
	kept, err := s.q().ImageDescribed(ctx, contentHash, model, description)
	if isNoRows(err) { // another transaction keeps one at this moment
		return s.ImageDescription(ctx, contentHash, model)
	}
	return kept, translate(err, "keep the description of an image")
}

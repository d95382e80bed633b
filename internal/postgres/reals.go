package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kappagraph/kappa/corpus/models"
)

// realArrays reads arrays of real numbers, which embeddings are, in one pass. The codec of the
// library scans each number by itself, which took longer than everything else that a comparison
// of embeddings does.
type realArrays struct{ *pgtype.ArrayCodec }

// useRealArrays has a connection read arrays of real numbers by realArrays.
func useRealArrays(_ context.Context, conn *pgx.Conn) error {
	if number, ok := conn.TypeMap().TypeForOID(pgtype.Float4OID); ok {
		conn.TypeMap().RegisterType(&pgtype.Type{Name: "_float4", OID: pgtype.Float4ArrayOID, Codec: realArrays{&pgtype.ArrayCodec{ElementType: number}}})
	}
	return nil
}

// PlanScan implements pgtype.Codec.
func (a realArrays) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	switch target.(type) {
	case *[]float32, *models.Embedding:
		if format == pgtype.BinaryFormatCode {
			return scanReals{}
		}
	}
	return a.ArrayCodec.PlanScan(m, oid, format, target)
}

// scanReals is how an array in the binary format becomes a slice.
type scanReals struct{}

// Scan implements pgtype.ScanPlan.
func (scanReals) Scan(src []byte, target any) error {
	list, err := readReals(src)
	if err != nil {
		return err
	}
	switch to := target.(type) {
	case *[]float32:
		*to = list
	case *models.Embedding:
		*to = list
	}
	return nil
}

var errNotReals = errors.New("not an array of real numbers")

// What stands before the numbers of an array: how many dimensions it has, whether any is NULL,
// and the type; then of each dimension how long it is, and where it begins.
const (
	arrayHeader    = 12
	arrayDimension = 8
	arrayNumber    = 8 // its length, and itself
	realBytes      = 4
)

// readReals reads an array of real numbers; nil is NULL.
func readReals(src []byte) ([]float32, error) {
	if src == nil {
		return nil, nil
	}
	if len(src) < arrayHeader {
		return nil, errNotReals
	}
	dimensions := int(int32(binary.BigEndian.Uint32(src)))
	numbers := len(src) - arrayHeader - dimensions*arrayDimension
	if dimensions < 0 || numbers < 0 || numbers%arrayNumber != 0 {
		return nil, errNotReals
	}
	list := make([]float32, numbers/arrayNumber)
	src = src[len(src)-numbers:]
	for i := range list {
		if binary.BigEndian.Uint32(src) != realBytes { // or a NULL
			return nil, errNotReals
		}
		list[i] = math.Float32frombits(binary.BigEndian.Uint32(src[realBytes:]))
		src = src[arrayNumber:]
	}
	return list, nil
}

// Reads a tiled log with the Go project's own packages: tiles ADDRESS VERIFIER-KEY.
//
// It opens the checkpoint, reads every bundle, proves each leaf through the tiles, proves that each
// earlier size is a beginning of the log, and prints how many leaves it found.
package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type reader struct {
	address string
	fetched map[string][]byte
}

func (r reader) Height() int { return height }

func (r reader) SaveTiles([]tlog.Tile, [][]byte) {}

func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range tiles {
		// The Go project's path names the height, which the C2SP's leaves out.
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
		if _, known := r.fetched[path]; !known {
			r.fetched[path] = get(r.address + path)
		}
		found = append(found, r.fetched[path])
	}
	return found, nil
}

func get(address string) []byte {
	answer, err := http.Get(address)
	check(err)
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		log.Fatalf("%s: %s", address, answer.Status)
	}
	data, err := io.ReadAll(answer.Body)
	check(err)
	return data
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func leaves(address string, size int64) [][]byte {
	var found [][]byte
	for first := int64(0); first < size; first += 256 {
		tile := tlog.Tile{H: height, L: 0, N: first / 256, W: 256}
		if size-first < 256 {
			tile.W = int(size - first)
		}
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/0/", height), "tile/entries/", 1)
		for data := get(address + path); len(data) > 0; {
			length := int(data[0])<<8 + int(data[1])
			found = append(found, data[2:2+length])
			data = data[2+length:]
		}
	}
	return found
}

func main() {
	address := os.Args[1]
	verifier, err := note.NewVerifier(os.Args[2])
	check(err)
	opened, err := note.Open(get(address+"checkpoint"), note.VerifierList(verifier))
	check(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	raw, err := base64.StdEncoding.DecodeString(lines[2])
	check(err)
	var root tlog.Hash
	copy(root[:], raw)

	tree := tlog.Tree{N: size, Hash: root}
	hashes := tlog.TileHashReader(tree, reader{address, map[string][]byte{}})
	found := leaves(address, size)
	for number, leaf := range found {
		proof, err := tlog.ProveRecord(size, int64(number), hashes)
		check(err)
		check(tlog.CheckRecord(proof, size, root, int64(number), tlog.RecordHash(leaf)))
	}
	for old := int64(1); old < size; old += 1 + size/16 {
		before, err := tlog.TreeHash(old, hashes)
		check(err)
		proof, err := tlog.ProveTree(size, old, hashes)
		check(err)
		check(tlog.CheckTree(proof, size, root, old, before))
	}
	fmt.Println(len(found))
}

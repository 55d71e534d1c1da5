import Foundation

/// One run of one workload by one engine on a prepared store.
public struct Trial: Sendable {
    /// The workload to run.
    public var workload: Workload
    /// The number of rows in the store, or to insert.
    public var rows: Int
    /// The file of the store.
    public var store: URL

    /// Creates a run.
    public init(workload: Workload, rows: Int, store: URL) {
        self.workload = workload
        self.rows = rows
        self.store = store
    }

    /// Opens the store, measures the workload and closes the store.
    ///
    /// The input of the workload (rows to insert, keys to look up, JSON) is prepared before the clock starts.
    public func run(_ engineType: any StoreEngine.Type) throws -> Sample {
        var meter = Meter()
        var latencies = Latencies()
        let checksum: Checksum
        if workload == .openCold {
            // Neither closing nor deallocating the engine is measured.
            var opened: (any StoreEngine)?
            checksum = try meter.measure {
                let engine = try engineType.init(storeAt: store, synchronous: workload.synchronous)
                opened = engine
                return try engine.readPage(from: 1, limit: 20)
            }
            try opened?.close()
        } else {
            let engine = try engineType.init(storeAt: store, synchronous: workload.synchronous)
            checksum = try perform(engine, meter: &meter, latencies: &latencies)
            try engine.close()
        }
        return sample(engineType.name, meter, checksum, latencies)
    }

    /// Runs a workload of the property-access family.
    public func run(_ engineType: any ObjectEngine.Type) throws -> Sample {
        var meter = Meter()
        let isTraversal = [.traverse, .traversePrefetched, .traverseAgain].contains(workload)
        let engine = try engineType.init(storeAt: store, loaded: !isTraversal)
        let checksum: Checksum
        switch workload {
        case .readProperties:
            checksum = try meter.measure { try engine.readProperties(times: 1_000) }
        case .readNumbers:
            checksum = try meter.measure { try engine.readNumbers(times: 1_000) }
        case .readTexts:
            checksum = try meter.measure { try engine.readTexts(times: 1_000) }
        case .writeProperties:
            try meter.measure { try engine.writeProperties(times: 1_000) }
            checksum = Checksum()
        case .insertObjects:
            let people = People.users(rows..<rows * 2)
            checksum = try meter.measure { try engine.insertObjects(people) }
        case .traverse, .traversePrefetched:
            checksum = try meter.measure { try engine.traverse(prefetching: workload == .traversePrefetched) }
        case .traverseAgain:
            _ = try engine.traverse(prefetching: true)
            checksum = try meter.measure { try engine.traverseAgain() }
        default:
            throw BenchmarkError("\(workload.rawValue) is not about objects in memory")
        }
        return sample(engineType.name, meter, checksum, Latencies())
    }

    private func perform(_ engine: any StoreEngine, meter: inout Meter, latencies: inout Latencies) throws -> Checksum {
        switch workload {
        case .insert:
            return try insert(engine, savingEvery: rows, &meter)
        case .insertInBatches, .insertInBatchesFull:
            return try insert(engine, savingEvery: 1_000, &meter)
        case .insertEach, .insertEachFull:
            return try insert(engine, savingEvery: 1, &meter)
        case .fetchThree:
            return try meter.measure { try engine.fetchAll(reading: .three) }
        case .fetchTwelve:
            return try meter.measure { try engine.fetchAll(reading: .all) }
        case .fetchIdentifiers:
            return try meter.measure { try engine.fetchIdentifiers() }()
        case .count:
            let thresholds = (0..<50).map { Double($0) * 190 + 5 }
            return try meter.measure { try engine.countFriends(richerThan: thresholds) }
        case .findTogether, .findEach:
            let keys = People.scatteredIDs(10_000, outOf: rows)
            return try meter.measure { try engine.find(keys, together: workload == .findTogether) }
        case .findInOneState:
            let keys = People.scatteredIDs(10_000, outOf: rows)
            return try meter.measure { try engine.findInOneState(keys) }
        case .search:
            let fragments = People.nameFragments(200)
            return try meter.measure { try engine.search(fragments, limit: 50) }
        case .update:
            try meter.measure { try engine.update(status: 3) }
        case .delete, .deleteNullifying:
            try meter.measure { try engine.delete(status: 3, nullify: workload == .deleteNullifying) }
        case .toMany, .toManyPrefetched:
            return try meter.measure {
                try engine.readMessages(
                    ofUsersUpTo: Int64(People.writers), prefetched: workload == .toManyPrefetched)
            }
        case .importJSON, .importBatch:
            let people = People.users(rows - 5_000..<rows + 5_000, edition: 1)
            let json = try JSONEncoder().encode(people)
            try meter.measure {
                try workload == .importBatch ? engine.importBatch(json: json) : engine.importUsers(json: json)
            }
        case .group:
            return try meter.measure { try engine.balancesByCountry(times: 20) }
        case .readWhileWriting:
            return try readWhileWriting(engine, &meter, &latencies)
        case .hold:
            return try meter.measure { try engine.holdAll() }
        case .iterate:
            return try meter.measure { try engine.iterate(batch: 500) }
        case .walk:
            return try meter.measure { try engine.walk(batch: 500) }
        default:
            throw BenchmarkError("\(workload.rawValue) does not run over a store")
        }
        return Checksum()
    }

    private func insert(_ engine: any StoreEngine, savingEvery batch: Int, _ meter: inout Meter) throws -> Checksum {
        let people = People.users(0..<rows)
        try meter.measure { try engine.insert(people, savingEvery: batch) }
        return Checksum()
    }

    /// Measures 2,000 page reads, each timed, while another thread continuously inserts rows, 100 per save.
    private func readWhileWriting(
        _ engine: any StoreEngine, _ meter: inout Meter, _ latencies: inout Latencies
    ) throws -> Checksum {
        let starts = People.scatteredIDs(2_000, outOf: max(1, rows - 50))
        let writing = BackgroundWriting(writer: try engine.makeWriter(), firstRow: rows)
        writing.start()
        let checksum = try meter.measure {
            var checksum = Checksum()
            for start in starts {
                let begin = Meter.now()
                let page = try engine.readPage(from: start, limit: 50)
                latencies.add(Double(Meter.now() - begin))
                checksum.add(page.sum)
            }
            return checksum
        }
        latencies.writtenRows = try writing.stop()
        return checksum
    }

    func sample(_ engine: String, _ meter: Meter, _ checksum: Checksum, _ latencies: Latencies) -> Sample {
        Sample(
            engine: engine, workload: workload, rows: rows, nanoseconds: meter.nanoseconds,
            cpuNanoseconds: meter.cpuNanoseconds, peakBytes: meter.peakBytes, growthBytes: meter.growthBytes,
            checksum: checksum, storeChecksum: nil, medianLatency: latencies.percentile(0.5),
            tailLatency: latencies.percentile(0.99), writtenRows: latencies.writtenRows
        )
    }
}

/// The durations of single reads.
struct Latencies {
    private var values: [Double] = []
    var writtenRows: Int?

    mutating func add(_ nanoseconds: Double) {
        values.append(nanoseconds)
    }

    func percentile(_ share: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        return values.sorted()[Int(Double(values.count - 1) * share)]
    }
}

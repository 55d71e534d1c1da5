/// The positions of objects among fetched results, updated incrementally as the results change.
///
/// Each object has its position at the last indexing. Each change since then has shifted it by one at most, so a search near
/// that position finds it; when the possible shift gets too large, all positions are indexed again.
final class ResultsPositions {
    private var noted: [ObjectIdentifier: Int]
    /// The maximum distance of an object from its indexed position.
    private var drift = 0
    private var results: ResultsSnapshot

    private static let longestDrift = 256

    init(_ results: ResultsSnapshot) {
        self.results = results
        noted = Self.positions(results)
    }

    func index(of object: AnyObject) -> Int? {
        guard let position = noted[ObjectIdentifier(object)] else { return nil }
        let objects = results.objects
        for distance in 0...drift {
            if position + distance < objects.count, objects[position + distance] === object {
                return position + distance
            }
            if distance <= position, position - distance < objects.count, objects[position - distance] === object {
                return position - distance
            }
        }
        return nil
    }

    /// Advances to the next state.
    func follow(_ changes: ResultsChanges) {
        let old = results
        results = changes.new
        drift += changes.deleted.count + changes.inserted.count + changes.moved.count
        guard drift <= Self.longestDrift else {
            noted = Self.positions(results)
            drift = 0
            return
        }
        for index in changes.deleted { noted[ObjectIdentifier(old.objects[index])] = nil }
        for index in changes.inserted { noted[ObjectIdentifier(results.objects[index])] = index }
        for move in changes.moved { noted[ObjectIdentifier(move.object)] = move.newIndex }
    }

    private static func positions(_ results: ResultsSnapshot) -> [ObjectIdentifier: Int] {
        var positions = [ObjectIdentifier: Int](minimumCapacity: results.objects.count)
        for (index, object) in results.objects.enumerated() { positions[ObjectIdentifier(object)] = index }
        return positions
    }
}

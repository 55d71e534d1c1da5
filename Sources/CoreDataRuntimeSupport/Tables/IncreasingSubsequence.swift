/// The longest increasing subsequence: the elements that need not move to bring a list into order.
package enum IncreasingSubsequence {
    /// Returns the ascending positions of a longest strictly increasing subsequence, in O(n log n).
    ///
    /// - Parameter values: the values to compare; nil for elements that belong to no subsequence.
    package static func positions<Value: Comparable>(in values: [Value?]) -> [Int] {
        // The position of the smallest value that ends a subsequence of each length.
        var tails: [(position: Int, value: Value)] = []
        var previous = Array(repeating: -1, count: values.count)
        for (position, value) in values.enumerated() {
            guard let value else { continue }
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if tails[middle].value < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[position] = tails[low - 1].position }
            if low == tails.count { tails.append((position, value)) } else { tails[low] = (position, value) }
        }
        var positions: [Int] = []
        var position = tails.last?.position ?? -1
        while position >= 0 {
            positions.append(position)
            position = previous[position]
        }
        return positions.reversed()
    }
}

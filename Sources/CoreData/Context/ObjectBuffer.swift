/// An array builder for objects.
///
/// `Array.append` checks uniqueness and capacity on every call. So only a few objects are appended to an array; more are
/// collected in raw memory, and moved from there into an array of the exact size.
struct ObjectBuffer: ~Copyable {
    private var few: [NSManagedObject] = []
    private var many: UnsafeMutablePointer<NSManagedObject>?
    private var manyCount = 0
    private var room = 0

    private static let mostOfFew = 8
    /// The number of objects for which memory is kept for reuse.
    private static let mostKept = 1 << 10

    var count: Int { few.count + manyCount }

    deinit {
        many?.deinitialize(count: manyCount)
        free(many)
    }

    @inline(__always)
    mutating func append(_ object: consuming NSManagedObject) {
        if manyCount < room {
            many.unsafelyUnwrapped.advanced(by: manyCount).initialize(to: object)
            manyCount &+= 1
        } else {
            appendSeldom(object)
        }
    }

    /// Appends an object that is likely the only one: an array literal of one is faster than an array that grows.
    mutating func appendOnly(_ object: NSManagedObject) {
        if room == 0, few.isEmpty { few = [object] } else { append(object) }
    }

    @inline(never)
    private mutating func appendSeldom(_ object: NSManagedObject) {
        if room == 0, few.count < Self.mostOfFew {
            few.append(object)
            return
        }
        room = max(room * 2, 128)
        // References are bitwise movable.
        let bytes = room * MemoryLayout<NSManagedObject>.stride
        let memory = realloc(many, bytes)!.bindMemory(to: NSManagedObject.self, capacity: room)
        many = memory
        for object in few {
            (memory + manyCount).initialize(to: object)
            manyCount += 1
        }
        few = []
        (memory + manyCount).initialize(to: object)
        manyCount += 1
    }

    /// Removes all objects and returns them.
    mutating func takeAll() -> [NSManagedObject] {
        guard let many, manyCount > 0 else {
            defer { few = [] }
            return few
        }
        defer {
            manyCount = 0
            if room > Self.mostKept {
                free(many)
                self.many = nil
                room = 0
            }
        }
        return Array(unsafeUninitializedCapacity: manyCount) { buffer, count in
            buffer.baseAddress.unsafelyUnwrapped.moveInitialize(from: many, count: manyCount)
            count = manyCount
        }
    }
}

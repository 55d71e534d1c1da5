/// Objects that become an array once all are there.
///
/// An array asks with every object that is appended whether somebody else holds the array, and whether there is room. So
/// only a few are appended to one; more are put into plain memory, and moved from there into an array of the right size.
struct ObjectPile: ~Copyable {
    private var few: [NSManagedObject] = []
    private var many: UnsafeMutablePointer<NSManagedObject>?
    private var manyCount = 0
    private var room = 0

    private static let mostOfFew = 8
    /// Memory for so many is kept for the next objects.
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

    /// Appends an object that no other will follow: an array of one is made faster than one that grows.
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
        // References may be moved like any bytes.
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

    /// All objects; none are left.
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

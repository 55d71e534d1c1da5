/// The placeholder for an argument in a template's tree.
package struct ArgumentPlace {
    package let index: Int

    package init(index: Int) { self.index = index }
}

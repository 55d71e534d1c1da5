/// Stands in a template's tree for the constant that comes from an argument.
package struct ArgumentPlace {
    package let index: Int

    package init(index: Int) { self.index = index }
}
